// Colours, faces and measures, and how they reach the application.
#include "ui/widgets/theme.h"

#include "ui/widgets/tekil_style.h"

#include <QApplication>
#include <QFontMetricsF>
#include <QHash>
#include <QPainter>
#include <QPainterPath>
#include <QScreen>
#include <QWidget>

#include <cmath>

namespace tekil::ui {

using namespace Qt::Literals::StringLiterals;

namespace {

constexpr qreal kBodyPt = 10.5;
constexpr qreal kBodyPxAt96 = 14.0;
constexpr char kNotCurrent[] = "tekilNotCurrent";

struct State {
    Theme theme = Theme::Light;
    qreal textScale = 1.0;
    qreal unit = 1.0; // px of the screen's text for one px at 96 dpi
    QHash<int, QFont> fonts;
};

State& state()
{
    static State one;
    return one;
}

Tokens lightTokens()
{
    Tokens t;
    t.window = 0xF4F5F7, t.base = 0xFFFFFF, t.sunken = 0xF8F9FA, t.raised = 0xFFFFFF;
    t.line = 0xE3E6EA, t.lineStrong = 0xC8CDD4, t.control = 0x7C848E;
    t.ink = 0x15181C, t.ink2 = 0x454C55, t.ink3 = 0x616973;
    t.selection = 0xE6ECF6, t.hover = 0xEEF0F3, t.focus = 0x2456D6;
    t.primary = 0x1C2026, t.primaryText = 0xFFFFFF;
    t.processing = 0x005FA3, t.completed = 0x00674B, t.failed = 0xB03A00;
    t.unknown = 0x8A2F6B, t.warning = 0x7A5600, t.quiet = 0x5F6368;
    t.tintWarning = 0xFBF4E2, t.tintFailed = 0xFCF0EA, t.tintUnknown = 0xF9F0F6, t.flow = 0x9AA1AA;
    return t;
}

Tokens darkTokens()
{
    Tokens t;
    t.window = 0x161719, t.base = 0x1E1F22, t.sunken = 0x222427, t.raised = 0x2B2D30;
    t.line = 0x303338, t.lineStrong = 0x484C53, t.control = 0x7D848E;
    t.ink = 0xE7E9EC, t.ink2 = 0xB9BFC7, t.ink3 = 0x9BA2AB;
    t.selection = 0x2A3447, t.hover = 0x27292D, t.focus = 0x86ABFF;
    t.primary = 0xE7E9EC, t.primaryText = 0x17191C;
    t.processing = 0x56B4E9, t.completed = 0x3CC79C, t.failed = 0xFF8A50;
    t.unknown = 0xE29AC6, t.warning = 0xF0C040, t.quiet = 0xA8ADB3;
    t.tintWarning = 0x322C1C, t.tintFailed = 0x35261F, t.tintUnknown = 0x33262F, t.flow = 0x6C737C;
    return t;
}

Tokens quieted(Tokens t)
{
    t.processing = t.completed = t.failed = t.unknown = t.warning = t.quiet;
    t.tintWarning = t.tintFailed = t.tintUnknown = t.sunken;
    t.current = false;
    return t;
}

qreal pointsOf(Face face)
{
    switch (face) {
    case Face::Sum: return 21;
    case Face::Figure: return 18;
    case Face::Title: return 15;
    case Face::Block: return 12;
    case Face::Body: return kBodyPt;
    case Face::Second: return 9.75;
    case Face::Small:
    case Face::Mono: return 9;
    }
    return kBodyPt;
}

void setFonts(QApplication& app)
{
    app.setFont(faceFont(Face::Body));
    for (const char* buttons : {"QPushButton", "QComboBox"})
        app.setFont(faceFont(Face::Body, QFont::Medium), buttons);
    app.setFont(faceFont(Face::Second, QFont::Medium), "QHeaderView");
    app.setFont(faceFont(Face::Second), "QToolTip");
    for (const char* body : {"QMenu", "QMenuBar", "QAbstractItemView"})
        app.setFont(faceFont(Face::Body), body);
}

} // namespace

const Tokens& tokensOf(Theme theme, bool current)
{
    static const Tokens all[] = {lightTokens(), quieted(lightTokens()), darkTokens(), quieted(darkTokens())};
    return all[(theme == Theme::Dark ? 2 : 0) + (current ? 0 : 1)];
}

const Tokens& tokensFor(const QWidget* widget)
{
    return tokensOf(state().theme, isCurrent(widget));
}

void setCurrent(QWidget* tree, bool current)
{
    if (tree->property(kNotCurrent).toBool() == !current)
        return;
    tree->setProperty(kNotCurrent, !current);
    tree->update();
    for (QWidget* child : tree->findChildren<QWidget*>()) {
        child->update();
        QEvent changed(QEvent::StyleChange);
        QCoreApplication::sendEvent(child, &changed);
    }
}

bool isCurrent(const QWidget* widget)
{
    for (; widget; widget = widget->parentWidget())
        if (widget->property(kNotCurrent).toBool())
            return false;
    return true;
}

QFont faceFont(Face face, QFont::Weight weight)
{
    QHash<int, QFont>& fonts = state().fonts;
    const int key = static_cast<int>(face) * 10000 + weight;
    const auto found = fonts.constFind(key);
    if (found != fonts.constEnd())
        return *found;
    QFont font;
    font.setFamilies(face == Face::Mono ? QStringList{u"Hack"_s, u"DejaVu Sans Mono"_s}
                                        : QStringList{u"Lato"_s, u"DejaVu Sans"_s});
    font.setPointSizeF(pointsOf(face) * state().textScale);
    font.setWeight(weight);
    font.setHintingPreference(QFont::PreferVerticalHinting);
    if (face != Face::Mono)
        font.setLetterSpacing(QFont::AbsoluteSpacing, 0.02); // turns the fi, ti, tt ligatures off
    fonts.insert(key, font);
    return font;
}

int px(qreal at96)
{
    return std::max(1, static_cast<int>(std::lround(at96 * state().unit)));
}

int baselineOf(const QRectF& row)
{
    static QFont measured;
    static qreal capHeight = 0;
    const QFont body = faceFont(Face::Body);
    if (capHeight <= 0 || measured != body) {
        measured = body;
        capHeight = QFontMetricsF(body).capHeight();
    }
    return static_cast<int>(std::lround(row.center().y() + capHeight / 2));
}

qreal deviceScaleOf(const QPainter& painter)
{
    const qreal scale = painter.deviceTransform().m11();
    return scale > 0 ? scale : 1.0;
}

void drawHairline(QPainter& painter, const QRectF& rect, Qt::Edge edge, const QColor& color)
{
    const qreal one = 1.0 / deviceScaleOf(painter);
    switch (edge) {
    case Qt::TopEdge: painter.fillRect(QRectF(rect.left(), rect.top(), rect.width(), one), color); break;
    case Qt::BottomEdge: painter.fillRect(QRectF(rect.left(), rect.bottom() - one, rect.width(), one), color); break;
    case Qt::LeftEdge: painter.fillRect(QRectF(rect.left(), rect.top(), one, rect.height()), color); break;
    case Qt::RightEdge: painter.fillRect(QRectF(rect.right() - one, rect.top(), one, rect.height()), color); break;
    }
}

void drawHatch(QPainter& painter, const QRectF& rect, const Tokens& tokens)
{
    QColor color = tokens.ink;
    color.setAlphaF(0.08F);
    painter.save();
    painter.setClipRect(rect, Qt::IntersectClip);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(color, 1));
    const qreal step = px(8);
    // Counted from a fixed origin, so that two views side by side continue each other's lines.
    const qreal first = std::floor(rect.left() / step) * step;
    for (qreal x = first; x < rect.right() + rect.height(); x += step)
        painter.drawLine(QPointF(x, rect.top()), QPointF(x - rect.height(), rect.bottom()));
    painter.restore();
}

void drawRing(QPainter& painter, const QRectF& rect, qreal width, qreal radius, const QColor& color)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, radius > 0);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    QPainterPath path;
    path.setFillRule(Qt::OddEvenFill);
    path.addRoundedRect(rect, radius, radius);
    const qreal inner = std::max<qreal>(0, radius - width);
    path.addRoundedRect(rect.adjusted(width, width, -width, -width), inner, inner);
    painter.drawPath(path);
    painter.restore();
}

void applyTheme(QApplication& app, Theme theme, qreal textScale)
{
    State& now = state();
    now.theme = theme;
    now.textScale = textScale;
    now.fonts.clear();
    const QScreen* screen = QGuiApplication::primaryScreen();
    const qreal dpi = screen ? screen->logicalDotsPerInch() : 96.0;
    now.unit = kBodyPt * textScale * dpi / 72.0 / kBodyPxAt96;

    if (!qobject_cast<TekilStyle*>(app.style()))
        app.setStyle(new TekilStyle);
    const Tokens& tokens = tokensOf(theme);
    QPalette palette = paletteOf(tokens);
    app.setPalette(palette);
    palette.setColor(QPalette::Window, tokens.raised);
    for (const char* raised : {"QDialog", "QMenu"})
        app.setPalette(palette, raised);
    setFonts(app);
    Q_EMIT ThemeNotifier::instance().themeChanged();
}

Theme currentTheme()
{
    return state().theme;
}

QPalette paletteOf(const Tokens& t)
{
    QPalette p;
    p.setColor(QPalette::Window, t.window);
    p.setColor(QPalette::Base, t.base);
    p.setColor(QPalette::Button, t.base);
    p.setColor(QPalette::AlternateBase, t.sunken);
    p.setColor(QPalette::ToolTipBase, t.raised);
    p.setColor(QPalette::ToolTipText, t.ink);
    p.setColor(QPalette::Light, t.base);
    p.setColor(QPalette::Midlight, t.line);
    p.setColor(QPalette::Mid, t.lineStrong);
    p.setColor(QPalette::Dark, t.control);
    p.setColor(QPalette::Shadow, t.control);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::Link,
                            QPalette::BrightText, QPalette::HighlightedText})
        p.setColor(role, t.ink);
    // The second ink has no role of its own in Qt; visited links do not exist here, so labels read it from there.
    p.setColor(QPalette::LinkVisited, t.ink2);
    p.setColor(QPalette::PlaceholderText, t.ink3);
    p.setColor(QPalette::Highlight, t.selection);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::LinkVisited})
        p.setColor(QPalette::Disabled, role, t.ink3);
    return p;
}

Theme themeOfDesktop(const QPalette& desktop)
{
    return desktop.color(QPalette::Window).lightness() < 128 ? Theme::Dark : Theme::Light;
}

ThemeNotifier& ThemeNotifier::instance()
{
    static ThemeNotifier one;
    return one;
}

} // namespace tekil::ui
