// The notice stands in the middle; a failure carries its shape and its hue, an empty table neither.
#include "ui/widgets/table_notice.h"

#include <QPainter>
#include <QVBoxLayout>

namespace tekil::ui {

TableNotice::TableNotice(QWidget* parent)
    : QWidget(parent), m_what(new Label({}, Face::Body, QFont::Bold)),
      m_wayOut(new Label({}, Face::Second, QFont::Normal, Ink::Second)), m_action(new Button({}))
{
    auto* column = new QVBoxLayout(this);
    column->setSpacing(px(8));
    column->addStretch(1);
    for (Label* label : {m_what, m_wayOut}) {
        label->setAlignment(Qt::AlignCenter);
        label->setWordWrap(true);
        label->setSelectable();
        column->addWidget(label);
    }
    column->addWidget(m_action, 0, Qt::AlignHCenter);
    column->addStretch(2);
    connect(m_action, &Button::clicked, this, &TableNotice::actionRequested);
}

void TableNotice::show(std::optional<Shape> shape, const QString& what, const QString& wayOut, const QString& action)
{
    m_shape = shape;
    m_what->setText(what);
    m_wayOut->setText(wayOut);
    m_wayOut->setVisible(!wayOut.isEmpty());
    m_action->setText(action);
    m_action->setVisible(!action.isEmpty());
    setAccessibleName(what);
    setAccessibleDescription(wayOut);
    setVisible(true);
    update();
}

void TableNotice::paintEvent(QPaintEvent*)
{
    const Tokens& t = tokensFor(this);
    QPainter painter(this);
    painter.fillRect(rect(), m_shape == Shape::Failed ? t.tintFailed : t.base);
    if (m_shape) {
        const int size = px(20);
        const QRect box(width() / 2 - size / 2, m_what->y() - size - px(8), size, size);
        drawShape(painter, box, *m_shape, Strength::Subject, t);
    }
}

} // namespace tekil::ui
