// The bands' looks: a line in the hue, its tint, its shape. A pending band is one line high.
#include "ui/widgets/message_band.h"

#include <QBoxLayout>
#include <QPainter>

namespace tekil::ui {

namespace {

Shape shapeOfBand(MessageBand::Kind kind)
{
    switch (kind) {
    case MessageBand::Kind::Warning: return Shape::Warning;
    case MessageBand::Kind::Failed: return Shape::Failed;
    case MessageBand::Kind::Unknown: return Shape::Unknown;
    case MessageBand::Kind::Quiet: return Shape::Finalized;
    case MessageBand::Kind::Pending: return Shape::Waiting;
    }
    return Shape::Warning;
}

QColor tintOfBand(MessageBand::Kind kind, const Tokens& t)
{
    switch (kind) {
    case MessageBand::Kind::Warning:
    case MessageBand::Kind::Pending: return t.tintWarning;
    case MessageBand::Kind::Failed: return t.tintFailed;
    case MessageBand::Kind::Unknown: return t.tintUnknown;
    case MessageBand::Kind::Quiet: return t.sunken;
    }
    return t.sunken;
}

} // namespace

MessageBand::MessageBand(Kind kind, QWidget* parent)
    : QWidget(parent), m_kind(kind), m_sentence(new Label({}, Face::Body, QFont::Bold)),
      m_whatToDo(new Label({}, Face::Second, QFont::Normal, Ink::Second)), m_row(new QHBoxLayout(this))
{
    const bool oneLine = kind == Kind::Pending;
    m_row->setContentsMargins(px(16) + px(16) + px(8), oneLine ? px(4) : px(8), px(16), oneLine ? px(4) : px(8));
    m_row->setSpacing(px(8));
    auto* words = new QBoxLayout(oneLine ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    words->setSpacing(oneLine ? px(8) : px(2));
    words->addWidget(m_sentence);
    words->addWidget(m_whatToDo, oneLine ? 1 : 0);
    m_sentence->setElided(!oneLine);
    m_whatToDo->setElided(true);
    m_sentence->setSelectable();
    m_row->addLayout(words, 1);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void MessageBand::setKind(Kind kind)
{
    m_kind = kind;
    update();
}

void MessageBand::setText(const QString& sentence, const QString& whatToDo)
{
    m_sentence->setText(sentence);
    m_whatToDo->setText(whatToDo);
    m_whatToDo->setVisible(!whatToDo.isEmpty());
    setAccessibleName(sentence);
    setAccessibleDescription(whatToDo);
    setToolTip(whatToDo);
}

Button* MessageBand::addButton(const QString& text, Button::Weight weight)
{
    auto* button = new Button(text, this);
    button->setWeight(weight);
    m_row->addWidget(button, 0, Qt::AlignVCenter);
    return button;
}

const Tokens& MessageBand::looks() const
{
    // What tells that data is old must not itself grow grey; what was pending when it grew old must.
    return m_kind == Kind::Pending ? tokensFor(this) : tokensOf(currentTheme());
}

void MessageBand::paintEvent(QPaintEvent*)
{
    const Tokens& t = looks();
    QPainter painter(this);
    painter.fillRect(rect(), tintOfBand(m_kind, t));
    const Shape shape = shapeOfBand(m_kind);
    const bool oneLine = m_kind == Kind::Pending;
    if (oneLine)
        drawHairline(painter, rect(), Qt::BottomEdge, t.line);
    else
        drawHairline(painter, rect(), Qt::TopEdge, m_kind == Kind::Quiet ? t.ink2 : hueOf(shape, t));
    const int size = px(16);
    const int top = m_sentence->geometry().center().y() - size / 2 + 1;
    if (m_kind == Kind::Quiet)
        drawIcon(painter, QRect(px(16), top, size, size), Icon::Check, t.ink2);
    else
        drawShape(painter, QRect(px(16), top, size, size), shape, Strength::Subject, t);
}

} // namespace tekil::ui
