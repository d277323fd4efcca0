// The small controls: button with key cap, icon button, label by role, chip, badge.
#pragma once

#include "ui/widgets/icons.h"
#include "ui/widgets/theme.h"

#include <QAbstractButton>
#include <QLabel>
#include <QPushButton>

namespace tekil::ui {

// A push button as TekilStyle draws it: plain or primary, with an icon before the word and a key cap after it.
class Button : public QPushButton {
    Q_OBJECT
public:
    enum class Weight : std::uint8_t { Plain, Primary, Quiet }; // Quiet: no border, for "Details"
    explicit Button(const QString& text, QWidget* parent = nullptr);

    void setWeight(Weight weight);
    Weight weight() const { return m_weight; }
    void setLineIcon(Icon icon);
    Icon lineIcon() const { return m_icon; }
    void setKeyCap(const QString& key); // shown, and the button's shortcut
    QString keyCap() const { return m_keyCap; }

private:
    Weight m_weight = Weight::Plain;
    Icon m_icon = Icon::None;
    QString m_keyCap;
};

// An icon alone (copy, open, close, pause): its word is the tooltip and the accessible name.
class IconButton : public QAbstractButton {
    Q_OBJECT
public:
    IconButton(Icon icon, const QString& word, QWidget* parent = nullptr);
    void setIcon(Icon icon, const QString& word);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    Icon m_icon;
};

enum class Ink : std::uint8_t { First, Second, Third };

// Text in one of the faces and inks; optionally elided at its end, or selectable.
class Label : public QLabel {
    Q_OBJECT
public:
    Label(const QString& text, Face face, QFont::Weight weight = QFont::Normal, Ink ink = Ink::First,
          QWidget* parent = nullptr);
    void setElided(bool elided);
    void setSelectable();
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    Face m_face;
    QFont::Weight m_weight;
    bool m_elided = false;
};

// A round choice among a few ("All", "Attempts"): checkable, the chosen one is filled with ink.
class Chip : public QAbstractButton {
    Q_OBJECT
public:
    explicit Chip(const QString& text, QWidget* parent = nullptr);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;
};

// A count of work that waits. Unknown stands in its hue, others outlined.
enum class BadgeKind : std::uint8_t { Outlined, Unknown };
QSize badgeSize(int count);
void drawBadge(QPainter& painter, const QRect& box, int count, BadgeKind kind, const Tokens& tokens);

// The word of a key in a small box.
QSize keyCapSize(const QString& key);
void drawKeyCap(QPainter& painter, const QRect& box, const QString& key, const QColor& text, const Tokens& tokens);

} // namespace tekil::ui
