// Fixed places by hand, as in the diagram of one payment: Processing, Unknown, and at the right Completed over Failed.
#include "ui/widgets/flow_diagram.h"

#include "ui/widgets/icons.h"
#include "ui/widgets/state_shape.h"

#include <QAbstractButton>
#include <QEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QPainterPath>

#include <cmath>

namespace tekil::ui {

namespace {

constexpr std::array kOrder{PaymentState::Processing, PaymentState::Unknown, PaymentState::Completed,
                            PaymentState::Failed};

QPainterPath rounded(const QVector<QPointF>& points)
{
    QPainterPath path(points.first());
    for (int i = 1; i < points.size(); ++i) {
        const QPointF corner = points.at(i);
        if (i + 1 == points.size()) {
            path.lineTo(corner);
            break;
        }
        const QLineF in(corner, points.at(i - 1)), out(corner, points.at(i + 1));
        const qreal r = std::min({static_cast<qreal>(px(6)), in.length() / 2, out.length() / 2});
        path.lineTo(in.pointAt(r / std::max<qreal>(in.length(), 1)));
        path.quadTo(corner, out.pointAt(r / std::max<qreal>(out.length(), 1)));
    }
    return path;
}

} // namespace

class FlowNode : public QAbstractButton {
public:
    FlowNode(PaymentState state, FlowDiagram* diagram) : QAbstractButton(diagram), m_state(state)
    {
        setFocusPolicy(Qt::StrongFocus);
        setAttribute(Qt::WA_Hover);
    }
    void setFace(const FlowNodeFace& face)
    {
        m_face = face;
        const QString word = wordOf(shapeOf(m_state));
        setAccessibleName(QStringList{word, face.count, face.held, face.more}.join(QStringView(u", ")));
        setToolTip(face.held);
        update();
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        const Tokens& t = tokensFor(this);
        const Shape shape = shapeOf(m_state);
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const QRectF box = QRectF(rect()).adjusted(px(4) + 0.5, px(4) + 0.5, -px(4) - 0.5, -px(4) - 0.5);
        painter.setPen(QPen(m_face.asks ? hueOf(shape, t) : t.control, m_face.asks ? 1.5 : 1));
        painter.setBrush(isDown() ? t.lineStrong : underMouse() ? t.hover : t.base);
        painter.drawRoundedRect(box, px(6), px(6));
        if (m_face.asks)
            drawRing(painter, box.adjusted(-px(3), -px(3), px(3), px(3)), 1.5, px(8), hueOf(shape, t));
        if (hasFocus())
            drawRing(painter, rect(), px(2), px(9), t.focus);
        paintWords(painter, box.toRect().adjusted(px(12), px(6), -px(12), -px(6)), t, shape);
    }

    void keyPressEvent(QKeyEvent* event) override
    {
        switch (event->key()) {
        case Qt::Key_Right:
        case Qt::Key_Down: focusNextChild(); return;
        case Qt::Key_Left:
        case Qt::Key_Up: focusPreviousChild(); return;
        case Qt::Key_Return:
        case Qt::Key_Enter: click(); return;
        default: QAbstractButton::keyPressEvent(event);
        }
    }

private:
    void paintWords(QPainter& painter, const QRect& inner, const Tokens& t, Shape shape) const
    {
        const int size = px(16), line = px(20), left = inner.left() + size + px(8);
        const QRect head(inner.left(), inner.top(), inner.width(), line);
        // Only what asks for a person is coloured.
        Tokens plain = t;
        plain.processing = plain.completed = plain.failed = plain.unknown = t.ink2;
        drawShape(painter, QRect(inner.left(), head.center().y() - size / 2, size, size), shape, Strength::Subject,
                  m_face.asks ? t : plain);
        const QFont countFont = faceFont(Face::Block, QFont::Bold);
        const int countWidth = QFontMetrics(countFont).horizontalAdvance(m_face.count);
        const QFont wordFont = faceFont(Face::Body, QFont::DemiBold);
        painter.setFont(wordFont);
        painter.setPen(m_face.asks ? hueOf(shape, t) : t.ink);
        painter.drawText(QPoint(left, baselineOf(head)),
                         QFontMetrics(wordFont).elidedText(wordOf(shape), Qt::ElideRight,
                                                           inner.right() - left - countWidth - px(6)));
        painter.setFont(countFont);
        painter.drawText(QPoint(inner.right() - countWidth, baselineOf(head)), m_face.count);

        const QFontMetrics metrics(faceFont(Face::Second));
        painter.setFont(faceFont(Face::Second));
        const int small = px(14);
        const QRect second = head.translated(0, line + px(2));
        const Shape kept = isEnd(m_state) ? m_state == PaymentState::Completed ? Shape::Finalized : Shape::Released
                                          : Shape::Active;
        Tokens quiet = t;
        quiet.processing = quiet.completed = t.ink2;
        drawShape(painter, QRect(inner.left() + px(1), second.center().y() - small / 2, small, small), kept,
                  Strength::Subject, quiet);
        painter.setPen(t.ink2);
        painter.drawText(QPoint(left, baselineOf(second)),
                         metrics.elidedText(m_face.held, Qt::ElideRight, inner.right() - left));
        painter.setPen(m_face.asks ? t.ink : t.ink2);
        painter.drawText(QPoint(left, baselineOf(second.translated(0, px(18)))),
                         metrics.elidedText(m_face.more, Qt::ElideRight, inner.right() - left));
    }

    PaymentState m_state;
    FlowNodeFace m_face;
};

FlowDiagram::FlowDiagram(QWidget* parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    setAccessibleName(tr("Flow of payments"));
    for (const PaymentState state : kOrder) {
        auto* node = new FlowNode(state, this);
        connect(node, &QAbstractButton::clicked, this, [this, state] { Q_EMIT stateActivated(state); });
        m_nodes.insert(state, node);
    }
}

QSize FlowDiagram::minimumSizeHint() const
{
    return {px(640), px(262)};
}

QWidget* FlowDiagram::node(PaymentState state) const
{
    return m_nodes.value(state);
}

qreal FlowDiagram::widthOf(std::int64_t perMinute)
{
    constexpr qreal kMost = 10'000.0 * 60;
    const qreal share = std::log10(1.0 + static_cast<qreal>(std::max<std::int64_t>(0, perMinute)))
                        / std::log10(1 + kMost);
    return px(1) + (px(8) - px(1)) * std::min<qreal>(share, 1);
}

void FlowDiagram::setFace(const FlowFace& face)
{
    m_face = face;
    QStringList words{tr("%1 came", "rate of payments").arg(face.came)};
    for (const FlowWay& way : face.ways)
        words << tr("%1 to %2: %3").arg(wordOf(shapeOf(way.from)), wordOf(shapeOf(way.to)), way.rate);
    setAccessibleDescription(words.join(QStringView(u", ")));
    for (const PaymentState state : kOrder)
        m_nodes.value(state)->setFace(face.nodes.value(state));
    update();
}

QRect FlowDiagram::nodeRect(PaymentState state) const
{
    const int high = px(76), entry = px(84), end = px(196);
    const int inner = std::clamp(width() / 5, px(148), px(180));
    const int middle = height() / 2 - high / 2;
    const int spread = std::clamp(height() / 2 - high, px(52), px(132));
    const int right = width() - end - px(8);
    switch (state) {
    case PaymentState::Processing: return {entry, middle, inner, high};
    case PaymentState::Unknown: {
        const int from = entry + inner;
        return {from + (right - from - inner) * 45 / 100, middle, inner, high};
    }
    case PaymentState::Completed: return {right, middle - spread, end, high};
    case PaymentState::Failed: return {right, middle + spread, end, high};
    }
    return {};
}

void FlowDiagram::arrange()
{
    for (const PaymentState state : kOrder) {
        const int ring = px(4);
        m_nodes.value(state)->setGeometry(nodeRect(state).adjusted(-ring, -ring, ring, ring));
    }
}

FlowDiagram::Line FlowDiagram::lineOf(const PaymentTransition& row) const
{
    const QRectF from = nodeRect(row.from), to = nodeRect(row.to);
    const bool upper = row.to == PaymentState::Completed;
    if (row.to == PaymentState::Unknown)
        return {{QPointF(from.right() + 1, from.center().y()), QPointF(to.left() - px(5), to.center().y())},
                QPointF(from.right() + px(14), to.center().y() - px(9)),
                false};
    if (row.from == PaymentState::Unknown) {
        const qreal fork = (from.right() + to.left()) / 2;
        const qreal y = to.center().y() + (upper ? px(20) : -px(20));
        const qreal start = from.center().y() + (upper ? -px(10) : px(10));
        return {
            {QPointF(from.right() + px(4), start), QPointF(fork, start), QPointF(fork, y), QPointF(to.left() - 1, y)},
            QPointF(fork - px(12), (start + y) / 2 + px(4)),
            true};
    }
    const qreal x = from.left() + px(32), y = to.center().y() + (upper ? -px(14) : px(14));
    return {{QPointF(x, upper ? from.top() - 1 : from.bottom() + 1), QPointF(x, y), QPointF(to.left() - 1, y)},
            QPointF(x + px(22), y - px(9)),
            false};
}

void FlowDiagram::paintWay(QPainter& painter, const Line& line, std::int64_t perMinute, const QString& rate) const
{
    const Tokens& t = tokensFor(this);
    const qreal width = widthOf(perMinute);
    const QColor color = perMinute > 0 ? t.flow : t.lineStrong;
    const qreal length = width + px(6), half = width / 2 + px(3);
    QVector<QPointF> points = line.points;
    const QPointF tip = points.last();
    points.last() -= QPointF(length - 1, 0);
    painter.setPen(QPen(color, width, Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin));
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(rounded(points));
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    painter.drawPolygon(QPolygonF({tip, tip + QPointF(-length, -half), tip + QPointF(-length, half)}));

    const QFont font = faceFont(Face::Body, QFont::Medium);
    painter.setFont(font);
    painter.setPen(perMinute > 0 ? t.ink : t.ink3);
    QPointF at = line.label - QPointF(0, line.labelEnds ? 0 : width / 2);
    if (line.labelEnds)
        at.rx() -= QFontMetricsF(font).horizontalAdvance(rate) + width / 2;
    painter.drawText(at, rate);
}

void FlowDiagram::paintEvent(QPaintEvent*)
{
    const Tokens& t = tokensFor(this);
    QPainter painter(this);
    painter.fillRect(rect(), t.base);
    painter.setRenderHint(QPainter::Antialiasing);
    for (const FlowWay& way : m_face.ways)
        paintWay(painter, lineOf({way.from, way.to}), way.perMinute, way.rate);
    const QRectF first = nodeRect(PaymentState::Processing);
    const qreal y = first.center().y();
    paintWay(painter, {{QPointF(0, y), QPointF(first.left() - 1, y)}, QPointF(0, y - px(12)), false},
             m_face.cameAMinute, m_face.came);
    painter.setFont(faceFont(Face::Second));
    painter.setPen(t.ink2);
    painter.drawText(QPointF(0, y + px(24)), tr("accepted", "payments that came, below their arrow"));
}

void FlowDiagram::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    arrange();
}

void FlowDiagram::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::ApplicationFontChange)
        arrange();
    if (event->type() == QEvent::LanguageChange)
        setAccessibleName(tr("Flow of payments"));
}

} // namespace tekil::ui
