// Fixed places by hand: Processing, Unknown, and at the right Completed over Failed.
#include "ui/widgets/state_diagram.h"

#include "ui/widgets/state_shape.h"

#include <QEvent>
#include <QGraphicsObject>
#include <QKeyEvent>
#include <QPainter>
#include <QPainterPath>

namespace tekil::ui {

namespace {

class StateNode : public QGraphicsObject {
public:
    StateNode(PaymentState state, const QRectF& rect, const QString& caption, StateDiagram* view)
        : m_state(state), m_rect(rect), m_caption(caption), m_view(view)
    {
        setFlag(ItemIsFocusable);
        setAcceptHoverEvents(true);
    }
    PaymentState state() const { return m_state; }
    void setStanding(bool current, bool passed) { m_current = current, m_passed = passed; }

    QRectF boundingRect() const override { return m_rect.adjusted(-px(24), -px(6), px(24), px(22)); }

    void paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*) override
    {
        const Tokens& t = tokensFor(m_view);
        const Shape shape = shapeOf(m_state);
        const QColor hue = hueOf(shape, t);
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(m_current ? QPen(Qt::NoPen) : QPen(m_passed ? t.ink : t.lineStrong, m_passed ? 1.5 : 1));
        painter->setBrush(m_current ? hue : t.base);
        painter->drawRoundedRect(m_rect, px(5), px(5));
        if (m_current)
            drawRing(*painter, m_rect.adjusted(-px(3), -px(3), px(3), px(3)), 1.5, px(7), hue);
        if (hasFocus())
            drawRing(*painter, m_rect.adjusted(-px(5), -px(5), px(5), px(5)), px(2), px(8), t.focus);

        const QFont font = faceFont(Face::Body, m_current ? QFont::DemiBold : m_passed ? QFont::Medium : QFont::Normal);
        const QString word = wordOf(shape);
        const qreal advance = QFontMetricsF(font).horizontalAdvance(word);
        const int size = px(16);
        const qreal x = m_rect.center().x() - (size + px(6) + advance) / 2;
        Tokens plain = t;
        plain.processing = plain.completed = plain.failed = plain.unknown = m_passed ? t.ink : t.ink2;
        const QRect box(qRound(x), qRound(m_rect.center().y() - size / 2.0), size, size);
        drawShape(*painter, box, shape, m_current ? Strength::Lit : Strength::Subject, m_current ? t : plain);
        painter->setFont(font);
        painter->setPen(m_current ? t.base : m_passed ? t.ink : t.ink2);
        painter->drawText(QPointF(x + size + px(6), baselineOf(m_rect)), word);
        painter->setFont(faceFont(Face::Second));
        painter->setPen(t.ink3);
        const QRectF under(m_rect.left() - px(20), m_rect.bottom() + px(m_current ? 5 : 3), m_rect.width() + px(40),
                           px(16));
        const bool right = isEnd(m_state);
        painter->drawText(
            right ? QRectF(under.left() - px(20), under.top(), m_rect.right() - under.left() + px(20), under.height())
                  : under,
            (right ? Qt::AlignRight : Qt::AlignHCenter) | Qt::AlignVCenter, m_caption);
    }

protected:
    void focusInEvent(QFocusEvent*) override { update(); }
    void focusOutEvent(QFocusEvent*) override { update(); }
    void mouseDoubleClickEvent(QGraphicsSceneMouseEvent*) override { Q_EMIT m_view->stateActivated(m_state); }

private:
    PaymentState m_state;
    QRectF m_rect;
    QString m_caption;
    StateDiagram* m_view;
    bool m_current = false;
    bool m_passed = false;
};

class StateEdge : public QGraphicsItem {
public:
    StateEdge(const QVector<QPointF>& points, StateDiagram::Edge edge, const QString& time, StateDiagram* view)
        : m_points(points), m_edge(edge), m_time(time), m_view(view)
    {
        setZValue(edge == StateDiagram::Edge::Closed ? -2 : -1);
    }

    QRectF boundingRect() const override
    {
        QPainterPath path;
        path.addPolygon(QPolygonF(m_points));
        return path.boundingRect().adjusted(-px(8), -px(22), px(8), px(8));
    }

    void paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*) override
    {
        const Tokens& t = tokensFor(m_view);
        const bool taken = m_edge == StateDiagram::Edge::Taken;
        const bool closed = m_edge == StateDiagram::Edge::Closed;
        QPen pen(taken ? t.ink : closed ? t.control : t.ink2, taken ? 2.5 : 1);
        if (closed) {
            pen.setDashPattern({1, 3});
            pen.setCapStyle(Qt::FlatCap);
        }
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(pen);
        painter->setBrush(Qt::NoBrush);
        painter->drawPath(rounded());
        const QPointF tip = m_points.last();
        const qreal length = px(6), half = px(3);
        painter->setPen(Qt::NoPen);
        painter->setBrush(pen.color());
        painter->drawPolygon(QPolygonF({tip, tip + QPointF(-length, -half), tip + QPointF(-length, half)}));
        if (m_time.isEmpty())
            return;
        painter->setPen(t.ink);
        painter->setFont(faceFont(Face::Second, QFont::Bold));
        const QPointF from = m_points.first();
        // The time stands on its line: a straight one above its middle, a bent one above its last part.
        const qreal left = m_points.size() == 2 ? from.x() : m_points.at(m_points.size() - 2).x();
        painter->drawText(QRectF(left, tip.y() - px(20), tip.x() - left - px(4), px(16)), Qt::AlignCenter, m_time);
    }

private:
    QPainterPath rounded() const
    {
        const qreal radius = px(6);
        QPainterPath path(m_points.first());
        for (int i = 1; i < m_points.size(); ++i) {
            const QPointF corner = m_points.at(i);
            if (i + 1 == m_points.size()) {
                path.lineTo(corner - QPointF(px(4), 0));
                break;
            }
            const QLineF in(corner, m_points.at(i - 1)), out(corner, m_points.at(i + 1));
            const qreal r = std::min({radius, in.length() / 2, out.length() / 2});
            path.lineTo(in.pointAt(r / std::max<qreal>(in.length(), 1)));
            path.quadTo(corner, out.pointAt(r / std::max<qreal>(out.length(), 1)));
        }
        return path;
    }

    QVector<QPointF> m_points;
    StateDiagram::Edge m_edge;
    QString m_time;
    StateDiagram* m_view;
};

} // namespace

StateDiagram::StateDiagram(QWidget* parent) : QGraphicsView(parent)
{
    setScene(new QGraphicsScene(this));
    setFrameShape(NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::TabFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("State diagram"));
}

QSize StateDiagram::sizeHint() const
{
    return {px(408), px(124)};
}

void StateDiagram::setWay(const StateWay& way)
{
    m_way = way;
    build();
}

const StateStep* StateDiagram::stepOf(PaymentState state) const
{
    for (const StateStep& step : m_way.steps)
        if (step.state == state)
            return &step;
    return nullptr;
}

StateDiagram::Edge StateDiagram::edgeOf(const PaymentTransition& row) const
{
    for (int i = 1; i < m_way.steps.size(); ++i)
        if (m_way.steps.at(i - 1).state == row.from && m_way.steps.at(i).state == row.to)
            return Edge::Taken;
    const PaymentState current = m_way.steps.isEmpty() ? PaymentState::Processing : m_way.steps.last().state;
    // What leads on from here is open, and so is what lies beyond a state that can still come.
    return row.from == current || mayBecome(current, row.from) ? Edge::Possible : Edge::Closed;
}

QRectF StateDiagram::nodeRect(PaymentState state) const
{
    const qreal width = viewport()->width() - 2 * px(4);
    const qreal node = std::min<qreal>(px(104), width * 0.25), height = px(28);
    const qreal row = px(46), upper = px(14), lower = px(76);
    const qreal left = px(4), right = left + width - node;
    // Unknown stands a little left of the middle: the fork to the ends needs room at its right.
    const qreal middle = left + (width - node) / 2 + px(2);
    switch (state) {
    case PaymentState::Processing: return {left, row, node - px(2), height};
    case PaymentState::Unknown: return {middle, row, node - px(6), height};
    case PaymentState::Completed: return {right, upper, node, height};
    case PaymentState::Failed: return {right, lower, node, height};
    }
    return {};
}

void StateDiagram::addNode(PaymentState state)
{
    const StateStep* step = stepOf(state);
    const bool current = !m_way.steps.isEmpty() && m_way.steps.last().state == state;
    // Once the payment has ended, no proof can lead anywhere else.
    const bool ended = !m_way.steps.isEmpty() && isEnd(m_way.steps.last().state);
    const QString caption = step ? step->at : ended ? QString() : m_way.proofs.value(state);
    auto* node = new StateNode(state, nodeRect(state), caption, this);
    node->setStanding(current, step && !current);
    QString name = wordOf(shapeOf(state));
    if (current)
        name = tr("%1, the current state since %2").arg(name, step->at);
    else if (step)
        name = tr("%1, passed at %2").arg(name, step->at);
    else if (!caption.isEmpty())
        name = tr("%1, still possible, %2").arg(name, caption);
    node->setObjectName(name);
    node->setToolTip(name);
    scene()->addItem(node);
}

void StateDiagram::addEdge(const PaymentTransition& row)
{
    const QRectF from = nodeRect(row.from), to = nodeRect(row.to);
    const Edge edge = edgeOf(row);
    const bool upper = row.to == PaymentState::Completed;
    QVector<QPointF> points;
    if (row.to == PaymentState::Unknown) {
        points = {QPointF(from.right(), from.center().y()), QPointF(to.left() - px(3), to.center().y())};
    } else if (row.from == PaymentState::Unknown) {
        const qreal fork = (from.right() + to.left()) / 2 - px(4);
        const qreal y = to.center().y() + (upper ? px(6) : -px(6));
        points = {QPointF(from.right() + px(3), from.center().y()), QPointF(fork, from.center().y()), QPointF(fork, y),
                  QPointF(to.left(), y)};
    } else {
        const qreal y = to.center().y() + (upper ? -px(6) : px(6));
        // The lower way begins below the time that stands under its node.
        const qreal start = upper ? from.top() : from.bottom() + px(19);
        points = {QPointF(from.center().x(), start), QPointF(from.center().x(), y), QPointF(to.left(), y)};
    }
    const StateStep* reached = edge == Edge::Taken ? stepOf(row.to) : nullptr;
    scene()->addItem(new StateEdge(points, edge, reached ? reached->after : QString(), this));
}

void StateDiagram::build()
{
    scene()->clear();
    setBackgroundBrush(tokensFor(this).base);
    scene()->setSceneRect(QRectF(QPointF(0, 0), QSizeF(viewport()->size())));
    for (const PaymentTransition& row : kPaymentTransitions)
        addEdge(row);
    for (const PaymentState state :
         {PaymentState::Processing, PaymentState::Unknown, PaymentState::Completed, PaymentState::Failed})
        addNode(state);
    QStringList words;
    for (const StateStep& step : m_way.steps)
        words << wordOf(shapeOf(step.state)) + QChar(u' ') + step.at;
    setAccessibleDescription(words.join(QStringView(u", ")));
}

void StateDiagram::resizeEvent(QResizeEvent* event)
{
    QGraphicsView::resizeEvent(event);
    build();
}

void StateDiagram::changeEvent(QEvent* event)
{
    QGraphicsView::changeEvent(event);
    switch (event->type()) {
    case QEvent::PaletteChange:
    case QEvent::StyleChange:
    case QEvent::LanguageChange:
    case QEvent::ApplicationFontChange: build(); break;
    default: break;
    }
}

void StateDiagram::keyPressEvent(QKeyEvent* event)
{
    QVector<StateNode*> nodes;
    for (QGraphicsItem* item : scene()->items(Qt::AscendingOrder))
        if (auto* node = dynamic_cast<StateNode*>(item))
            nodes << node;
    const auto focused = std::find_if(nodes.begin(), nodes.end(), [](StateNode* node) { return node->hasFocus(); });
    const bool forward = event->key() == Qt::Key_Right || event->key() == Qt::Key_Down;
    const bool back = event->key() == Qt::Key_Left || event->key() == Qt::Key_Up;
    if (forward || back) {
        const auto count = nodes.size();
        qsizetype at = focused == nodes.end() ? (forward ? -1 : count) : focused - nodes.begin();
        at = std::clamp<qsizetype>(at + (forward ? 1 : -1), 0, count - 1);
        nodes.at(at)->setFocus();
        setAccessibleDescription(nodes.at(at)->objectName());
        return;
    }
    if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && focused != nodes.end())
        return Q_EMIT stateActivated((*focused)->state());
    QGraphicsView::keyPressEvent(event);
}

} // namespace tekil::ui
