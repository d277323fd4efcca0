// The small controls' looks.
#include "ui/widgets/controls.h"

#include "ui/widgets/format.h"

#include <QEvent>
#include <QFontMetrics>
#include <QKeySequence>
#include <QPainter>

namespace tekil::ui {

Button::Button(const QString& text, QWidget* parent) : QPushButton(text, parent)
{
    setAutoDefault(false);
    setAttribute(Qt::WA_Hover);
    setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
}

void Button::setWeight(Weight weight)
{
    m_weight = weight;
    update();
}

void Button::setLineIcon(Icon icon)
{
    m_icon = icon;
    updateGeometry();
    update();
}

void Button::setKeyCap(const QString& key)
{
    m_keyCap = key;
    setShortcut(QKeySequence(key));
    updateGeometry();
    update();
}

IconButton::IconButton(Icon icon, const QString& word, QWidget* parent) : QAbstractButton(parent), m_icon(icon)
{
    setIcon(icon, word);
    setFocusPolicy(Qt::TabFocus);
    setAttribute(Qt::WA_Hover);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void IconButton::setIcon(Icon icon, const QString& word)
{
    m_icon = icon;
    setToolTip(word);
    setAccessibleName(word);
    update();
}

QSize IconButton::sizeHint() const
{
    return {px(24), px(24)};
}

void IconButton::paintEvent(QPaintEvent*)
{
    const Tokens& t = tokensFor(this);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (isEnabled() && (underMouse() || isDown())) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(isDown() ? t.lineStrong : t.hover);
        painter.drawRoundedRect(rect(), px(4), px(4));
    }
    const int size = px(16);
    const QRect box((width() - size) / 2, (height() - size) / 2, size, size);
    drawIcon(painter, box, m_icon, isEnabled() ? t.ink2 : t.ink3);
    if (hasFocus())
        drawRing(painter, rect(), px(2), px(4), t.focus);
}

void IconButton::enterEvent(QEnterEvent*)
{
    update();
}

void IconButton::leaveEvent(QEvent*)
{
    update();
}

Label::Label(const QString& text, Face face, QFont::Weight weight, Ink ink, QWidget* parent)
    : QLabel(text, parent), m_face(face), m_weight(weight)
{
    setTextFormat(Qt::PlainText);
    setFont(faceFont(face, weight));
    setForegroundRole(ink == Ink::First    ? QPalette::WindowText
                      : ink == Ink::Second ? QPalette::LinkVisited
                                           : QPalette::PlaceholderText);
}

void Label::setElided(bool elided)
{
    m_elided = elided;
    updateGeometry();
}

void Label::setSelectable()
{
    setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    setFocusPolicy(Qt::ClickFocus);
}

QSize Label::minimumSizeHint() const
{
    QSize size = QLabel::minimumSizeHint();
    if (m_elided)
        size.setWidth(0);
    return size;
}

void Label::paintEvent(QPaintEvent* event)
{
    // Text that can be selected is laid out by Qt a little higher; until it is selected, all labels stand alike.
    const bool tooLong = m_elided && fontMetrics().horizontalAdvance(text()) > contentsRect().width();
    const bool selectable = textInteractionFlags().testFlag(Qt::TextSelectableByMouse);
    if (wordWrap() || (!tooLong && (!selectable || hasSelectedText())))
        return QLabel::paintEvent(event);
    QPainter painter(this);
    painter.setPen(palette().color(foregroundRole()));
    const QRect room = contentsRect();
    const QString shown = tooLong ? fontMetrics().elidedText(text(), Qt::ElideRight, room.width()) : text();
    painter.drawText(room, static_cast<int>(alignment()) | Qt::TextSingleLine, shown);
}

void Label::changeEvent(QEvent* event)
{
    // A theme's switch may bring another size of text.
    if (event->type() == QEvent::ApplicationFontChange && font() != faceFont(m_face, m_weight))
        setFont(faceFont(m_face, m_weight));
    QLabel::changeEvent(event);
}

Chip::Chip(const QString& text, QWidget* parent) : QAbstractButton(parent)
{
    setText(text);
    setCheckable(true);
    setFocusPolicy(Qt::TabFocus);
    setAttribute(Qt::WA_Hover);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

QSize Chip::sizeHint() const
{
    return {QFontMetrics(faceFont(Face::Second, QFont::Medium)).horizontalAdvance(text()) + px(16), px(24)};
}

void Chip::paintEvent(QPaintEvent*)
{
    const Tokens& t = tokensFor(this);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF pill = QRectF(rect()).adjusted(0.5, 1.5, -0.5, -1.5);
    painter.setPen(QPen(isChecked() ? t.primary : t.lineStrong, 1));
    painter.setBrush(isChecked() ? t.primary : isDown() ? t.lineStrong : underMouse() ? t.hover : t.base);
    painter.drawRoundedRect(pill, pill.height() / 2, pill.height() / 2);
    painter.setFont(faceFont(Face::Second));
    painter.setPen(isChecked() ? t.primaryText : t.ink2);
    painter.drawText(rect(), Qt::AlignCenter, text());
    if (hasFocus())
        drawRing(painter, rect(), px(2), height() / 2.0, t.focus);
}

void Chip::enterEvent(QEnterEvent*)
{
    update();
}

void Chip::leaveEvent(QEvent*)
{
    update();
}

QSize badgeSize(int count)
{
    const int text = QFontMetrics(faceFont(Face::Second, QFont::DemiBold)).horizontalAdvance(formatter().count(count));
    return {std::max(px(18), text + px(10)), px(18)};
}

void drawBadge(QPainter& painter, const QRect& box, int count, BadgeKind kind, const Tokens& t)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const bool filled = kind == BadgeKind::Unknown && t.current;
    painter.setPen(filled ? QPen(Qt::NoPen) : QPen(t.control, 1));
    painter.setBrush(filled ? QBrush(t.unknown) : QBrush(Qt::NoBrush));
    const QRectF frame = filled ? QRectF(box) : QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5);
    painter.drawRoundedRect(frame, px(3), px(3));
    painter.setPen(filled ? t.base : t.ink2);
    painter.setFont(faceFont(Face::Second, QFont::DemiBold));
    painter.drawText(box, Qt::AlignCenter, formatter().count(count));
    painter.restore();
}

QSize keyCapSize(const QString& key)
{
    const int text = QFontMetrics(faceFont(Face::Small)).horizontalAdvance(key);
    return {std::max(px(16), text + px(8)), px(16)};
}

void drawKeyCap(QPainter& painter, const QRect& box, const QString& key, const QColor& text, const Tokens& t)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(t.lineStrong, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5), px(3), px(3));
    painter.setPen(text);
    painter.setFont(faceFont(Face::Small));
    painter.drawText(box, Qt::AlignCenter, key);
    painter.restore();
}

} // namespace tekil::ui
