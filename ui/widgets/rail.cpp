// Each item is a button of its own, so that Tab, arrows and screen readers meet it.
#include "ui/widgets/rail.h"

#include "ui/widgets/format.h"

#include <QEvent>
#include <QKeyEvent>
#include <QPainter>

namespace tekil::ui {

namespace {

class RailButton : public QAbstractButton {
public:
    RailButton(const Rail::Item& item, Rail* rail) : QAbstractButton(rail), m_item(item), m_rail(rail)
    {
        setText(item.word);
        setFocusPolicy(Qt::TabFocus);
        setAttribute(Qt::WA_Hover);
        setToolTip(item.word);
        setBadge(0);
    }
    void setBadge(int count)
    {
        m_badge = count;
        setAccessibleName(count > 0 ? Rail::tr("%1, %n waiting", nullptr, count).arg(m_item.word) : m_item.word);
        update();
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        const Tokens& t = tokensFor(this);
        QPainter painter(this);
        const bool chosen = m_rail->chosen() == m_item.id;
        if (chosen) {
            painter.fillRect(rect(), t.base);
            drawHairline(painter, rect(), Qt::TopEdge, t.line);
            drawHairline(painter, rect(), Qt::BottomEdge, t.line);
            painter.fillRect(QRect(0, 0, px(3), height()), t.ink);
        } else if (underMouse() || isDown()) {
            painter.fillRect(rect().adjusted(0, 0, -1, 0), isDown() ? t.lineStrong : t.hover);
        }
        const bool folded = m_rail->isFolded();
        const int size = px(16);
        const QSize badge = m_badge > 0 ? badgeSize(m_badge) : QSize();
        const int middle = height() / 2;
        int x = px(18);
        if (folded)
            x = m_badge > 0 ? (width() - size - badge.width() - px(3)) / 2 : (width() - size) / 2;
        drawIcon(painter, QRect(x, middle - size / 2, size, size), m_item.icon, chosen ? t.ink : t.ink2);
        if (!folded) {
            painter.setFont(faceFont(Face::Body, chosen ? QFont::DemiBold : QFont::Normal));
            painter.setPen(chosen ? t.ink : t.ink2);
            painter.drawText(QPoint(px(44), baselineOf(rect())), text());
        }
        if (m_badge > 0) {
            const int left = folded ? x + size + px(3) : width() - px(17) - badge.width();
            drawBadge(painter, QRect(QPoint(left, middle - badge.height() / 2), badge), m_badge, m_item.badgeKind, t);
        }
        if (hasFocus())
            drawRing(painter, rect().adjusted(px(4), px(2), -px(4), -px(2)), px(2), px(4), t.focus);
    }
    void keyPressEvent(QKeyEvent* event) override
    {
        if (event->key() == Qt::Key_Down)
            focusNextChild();
        else if (event->key() == Qt::Key_Up)
            focusPreviousChild();
        else if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
            click();
        else
            QAbstractButton::keyPressEvent(event);
    }

private:
    Rail::Item m_item;
    Rail* m_rail;
    int m_badge = 0;
};

} // namespace

Rail::Rail(QWidget* parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Expanding);
    setAccessibleName(tr("Pages"));
}

void Rail::setItems(const QVector<Item>& items)
{
    qDeleteAll(m_buttons);
    m_buttons.clear();
    m_items = items;
    for (const Item& item : items) {
        auto* button = new RailButton(item, this);
        button->setBadge(m_badges.value(item.id));
        connect(button, &QAbstractButton::clicked, this, [this, id = item.id] {
            setChosen(id);
            Q_EMIT activated(id);
        });
        m_buttons << button;
        button->show();
    }
    arrange();
}

void Rail::setChosen(const QString& id)
{
    m_chosen = id;
    for (QAbstractButton* button : m_buttons)
        button->update();
}

void Rail::setBadge(const QString& id, int count)
{
    m_badges.insert(id, count);
    for (int i = 0; i < m_items.size(); ++i)
        if (m_items.at(i).id == id)
            static_cast<RailButton*>(m_buttons.at(i))->setBadge(count);
}

void Rail::setFolded(bool folded)
{
    m_folded = folded;
    updateGeometry();
    arrange();
    for (QAbstractButton* button : m_buttons)
        button->update();
}

QSize Rail::sizeHint() const
{
    return {m_folded ? px(56) : px(200), px(400)};
}

void Rail::arrange()
{
    int y = px(11);
    for (int i = 0; i < m_items.size(); ++i) {
        if (m_items.at(i).startsGroup && i > 0)
            y += px(13);
        m_buttons.at(i)->setGeometry(0, y, width(), px(32));
        y += px(32);
    }
    update();
}

void Rail::paintEvent(QPaintEvent*)
{
    const Tokens& t = tokensFor(this);
    QPainter painter(this);
    painter.fillRect(rect(), t.window);
    drawHairline(painter, rect(), Qt::RightEdge, t.lineStrong);
    for (int i = 1; i < m_items.size(); ++i)
        if (m_items.at(i).startsGroup) {
            const int y = m_buttons.at(i)->y() - px(7);
            drawHairline(painter, QRect(px(16), y, width() - px(32), 1), Qt::TopEdge, t.line);
        }
}

void Rail::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    arrange();
}

void Rail::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::ApplicationFontChange) {
        updateGeometry();
        arrange();
    }
}

} // namespace tekil::ui
