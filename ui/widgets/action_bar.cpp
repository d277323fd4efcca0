// Buttons from left to right, wrapped; then the reason.
#include "ui/widgets/action_bar.h"

#include <QEvent>
#include <QPainter>

namespace tekil::ui {

ActionBar::ActionBar(QWidget* parent)
    : QWidget(parent), m_selection(new Label({}, Face::Body, QFont::DemiBold, Ink::First, this)),
      m_reason(new Label({}, Face::Second, QFont::Normal, Ink::Second, this))
{
    m_selection->hide();
    m_reason->hide();
    m_reason->setElided(true);
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

Button* ActionBar::add(const QString& id, const QString& text, const QString& key, bool startsLine)
{
    auto* button = new Button(text, this);
    if (!key.isEmpty())
        button->setKeyCap(key);
    connect(button, &Button::clicked, this, [this, id] { Q_EMIT triggered(id); });
    m_acts << Act{id, button, startsLine};
    button->show();
    updateGeometry();
    arrange(width(), true);
    return button;
}

Button* ActionBar::button(const QString& id) const
{
    for (const Act& act : m_acts)
        if (act.id == id)
            return act.button;
    return nullptr;
}

void ActionBar::setAllowed(const QString& id, bool allowed)
{
    if (Button* act = button(id))
        act->setEnabled(allowed);
}

void ActionBar::setReason(const QString& reason)
{
    m_reason->setText(reason);
    m_reason->setToolTip(reason);
    m_reason->setVisible(!reason.isEmpty());
    // The reason belongs to each act it disables, for those who hear the window.
    for (const Act& act : m_acts)
        act.button->setAccessibleDescription(act.button->isEnabled() ? QString() : reason);
    updateGeometry();
    arrange(width(), true);
    update();
}

void ActionBar::setSelectionText(const QString& text)
{
    m_selection->setText(text);
    m_selection->setVisible(!text.isEmpty());
    updateGeometry();
    arrange(width(), true);
}

int ActionBar::arrange(int width, bool apply) const
{
    const int margin = px(16), gap = px(8);
    int x = margin, y = px(11), line = 0;
    const auto place = [&](QWidget* widget, bool startsLine) {
        const QSize size(widget->sizeHint().width(), px(28));
        if (x > margin && (startsLine || x + size.width() > width - margin)) {
            x = margin;
            y += px(28) + px(6);
        }
        if (apply)
            widget->setGeometry(x, y, std::min(size.width(), width - 2 * margin), size.height());
        x += size.width() + gap;
        line = y + px(28);
    };
    if (!m_selection->text().isEmpty()) {
        place(m_selection, false);
        x += px(16);
    }
    for (const Act& act : m_acts)
        place(act.button, act.startsLine);
    if (!m_reason->text().isEmpty()) {
        const int top = line + px(4);
        if (apply)
            m_reason->setGeometry(margin + px(20), top, width - 2 * margin - px(20), px(20));
        line = top + px(20) - px(4);
    }
    return line + px(11);
}

int ActionBar::heightForWidth(int width) const
{
    return arrange(width, false);
}

QSize ActionBar::sizeHint() const
{
    const int width = std::max(this->width(), px(320));
    return {width, arrange(width, false)};
}

QSize ActionBar::minimumSizeHint() const
{
    return {px(200), arrange(std::max(width(), px(200)), false)};
}

void ActionBar::paintEvent(QPaintEvent*)
{
    const Tokens& t = tokensFor(this);
    QPainter painter(this);
    painter.fillRect(rect(), t.sunken);
    drawHairline(painter, rect(), Qt::TopEdge, t.lineStrong);
    if (!m_reason->text().isEmpty()) {
        const int size = px(14);
        drawIcon(painter, QRect(px(16), m_reason->geometry().center().y() - size / 2, size, size), Icon::Lock, t.ink2);
    }
}

void ActionBar::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    arrange(width(), true);
}

void ActionBar::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::ApplicationFontChange) {
        updateGeometry();
        arrange(width(), true);
    }
}

} // namespace tekil::ui
