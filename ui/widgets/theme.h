// The visual language as values: colours, faces, measures, and the theme that is on.
#pragma once

#include <QColor>
#include <QFont>
#include <QObject>
#include <QPalette>
#include <QRectF>

#include <cstdint>

class QApplication;
class QPainter;
class QWidget;

namespace tekil::ui {

enum class Theme : std::uint8_t { Light, Dark };

struct Tokens {
    QColor window, base, sunken, raised;
    QColor line, lineStrong, control;
    QColor ink, ink2, ink3;
    QColor selection, hover, focus;
    QColor primary, primaryText;
    QColor processing, completed, failed, unknown, warning, quiet;
    QColor tintWarning, tintFailed, tintUnknown, flow;
    bool current = true; // false where the states are read as quiet
};

const Tokens& tokensOf(Theme theme, bool current = true);

// The tokens to paint this widget with: the theme's, quiet where the widget or a parent shows data that is not current.
const Tokens& tokensFor(const QWidget* widget);

// Marks a widget tree's data as current or not.
void setCurrent(QWidget* tree, bool current);
bool isCurrent(const QWidget* widget);

// Sum 21 pt, Figure 18, Title 15, Block 12, Body 10.5, Second 9.75, Small 9 (Lato); Mono 9 (Hack).
enum class Face : std::uint8_t { Sum, Figure, Title, Block, Body, Second, Small, Mono };
QFont faceFont(Face face, QFont::Weight weight = QFont::Normal);

// A length given at 96 dpi and 10.5 pt, as the application font has it now. Never less than 1.
int px(qreal at96);

// The one baseline of a row: its centre plus half the cap height of the body face.
int baselineOf(const QRectF& row);

// Device pixels for one logical pixel, also where a widget is rendered into an image.
qreal deviceScaleOf(const QPainter& painter);

// One device pixel, at the inner edge of the rectangle.
void drawHairline(QPainter& painter, const QRectF& rect, Qt::Edge edge, const QColor& color);

// Oblique lines over data that is not current: ink at 8 %, 8 px apart.
void drawHatch(QPainter& painter, const QRectF& rect, const Tokens& tokens);

// A ring of `width` px that lies inside the rectangle.
void drawRing(QPainter& painter, const QRectF& rect, qreal width, qreal radius, const QColor& color);

// Sets style, palette and fonts; called again it switches. `textScale` enlarges all text and with it all measures.
void applyTheme(QApplication& app, Theme theme, qreal textScale = 1.0);
Theme currentTheme();
QPalette paletteOf(const Tokens& tokens);

// What the desktop's own palette asks for.
Theme themeOfDesktop(const QPalette& desktop);

// Tells those that keep brushes (charts, scenes, pixmap caches) that the theme was switched.
class ThemeNotifier : public QObject {
    Q_OBJECT
public:
    static ThemeNotifier& instance();

Q_SIGNALS:
    void themeChanged();
};

} // namespace tekil::ui
