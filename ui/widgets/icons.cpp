// The icons as strokes.
#include "ui/widgets/icons.h"

#include <QPainter>
#include <QPainterPath>

#include <cmath>
#include <numbers>

namespace tekil::ui {

namespace {

QPainterPath polyline(std::initializer_list<QPointF> points)
{
    QPainterPath path;
    for (const QPointF& point : points)
        path.elementCount() == 0 ? path.moveTo(point) : path.lineTo(point);
    return path;
}

QPainterPath box(qreal x, qreal y, qreal w, qreal h, qreal r = 1)
{
    QPainterPath path;
    path.addRoundedRect(QRectF(x, y, w, h), r, r);
    return path;
}

QPainterPath disc(qreal x, qreal y, qreal r)
{
    QPainterPath path;
    path.addEllipse(QPointF(x, y), r, r);
    return path;
}

QPainterPath join(std::initializer_list<QPainterPath> parts)
{
    QPainterPath path;
    for (const QPainterPath& part : parts)
        path.addPath(part);
    return path;
}

QPainterPath person()
{
    QPainterPath shoulders;
    shoulders.moveTo(3.2, 13.8);
    shoulders.cubicTo(3.2, 8.2, 12.8, 8.2, 12.8, 13.8);
    return join({disc(8, 5.2, 2.5), shoulders});
}

QPainterPath lock()
{
    QPainterPath shackle;
    shackle.moveTo(5.2, 7);
    shackle.lineTo(5.2, 5.2);
    shackle.arcTo(QRectF(5.2, 2.4, 5.6, 5.6), 180, -180);
    shackle.lineTo(10.8, 7);
    return join({box(3, 7, 10, 7, 1.2), shackle});
}

QPainterPath gear()
{
    QPainterPath path = join({disc(8, 8, 2), disc(8, 8, 4.4)});
    for (int tooth = 0; tooth < 8; ++tooth) {
        const qreal angle = tooth * std::numbers::pi / 4;
        const QPointF way(std::cos(angle), std::sin(angle));
        path.addPath(polyline({QPointF(8, 8) + way * 4.6, QPointF(8, 8) + way * 6.3}));
    }
    return path;
}

QPainterPath question()
{
    QPainterPath mark;
    mark.moveTo(6.4, 6.6);
    mark.cubicTo(6.4, 4.6, 9.7, 4.6, 9.7, 6.6);
    mark.cubicTo(9.7, 7.8, 8, 7.8, 8, 9.1);
    return join({mark, polyline({{8, 11}, {8, 11.1}})});
}

QPainterPath diamond()
{
    QPainterPath path = polyline({{8, 1.2}, {14.8, 8}, {8, 14.8}, {1.2, 8}});
    path.closeSubpath();
    return path;
}

QPainterPath funnel()
{
    QPainterPath path = polyline({{2, 3}, {14, 3}, {9.6, 8.4}, {9.6, 13.4}, {6.4, 11.6}, {6.4, 8.4}});
    path.closeSubpath();
    return path;
}

QPainterPath playing()
{
    QPainterPath path = polyline({{4.2, 2.8}, {12.8, 8}, {4.2, 13.2}});
    path.closeSubpath();
    return path;
}

QPainterPath tray(bool out)
{
    const QPainterPath arrow = out ? polyline({{5, 5}, {8, 2}, {11, 5}}) : polyline({{5, 6.8}, {8, 9.8}, {11, 6.8}});
    return join(
        {polyline({{8, 2.2}, {8, 9.6}}), arrow, polyline({{2.4, 9.4}, {2.4, 13.4}, {13.6, 13.4}, {13.6, 9.4}})});
}

QPainterPath controlPath(Icon icon)
{
    switch (icon) {
    case Icon::Search: return join({disc(6.8, 6.8, 4.4), polyline({{10.2, 10.2}, {14, 14}})});
    case Icon::Filter: return funnel();
    case Icon::Columns: return join({box(2, 3, 12, 10), polyline({{6, 3}, {6, 13}}), polyline({{10, 3}, {10, 13}})});
    case Icon::Export: return tray(false);
    case Icon::Import: return tray(true);
    case Icon::Copy:
        return join({box(5.4, 5.4, 8.4, 8.4), polyline({{10.6, 3}, {10.6, 2.2}, {2.2, 2.2}, {2.2, 10.6}, {3, 10.6}})});
    case Icon::Open:
        return join({polyline({{8.6, 2.6}, {2.6, 2.6}, {2.6, 13.4}, {13.4, 13.4}, {13.4, 7.4}}),
                     polyline({{7, 9}, {13.4, 2.6}}), polyline({{10.6, 2.6}, {13.4, 2.6}, {13.4, 5.4}})});
    case Icon::Close: return join({polyline({{3.6, 3.6}, {12.4, 12.4}}), polyline({{12.4, 3.6}, {3.6, 12.4}})});
    case Icon::Pause: return join({polyline({{5.6, 3.6}, {5.6, 12.4}}), polyline({{10.4, 3.6}, {10.4, 12.4}})});
    case Icon::Play: return playing();
    case Icon::Plus: return join({polyline({{8, 2.8}, {8, 13.2}}), polyline({{2.8, 8}, {13.2, 8}})});
    case Icon::Check: return polyline({{3.2, 8.4}, {6.4, 11.6}, {12.8, 4.6}});
    case Icon::Lock: return lock();
    case Icon::Key:
        return join({disc(5, 8, 3), polyline({{8, 8}, {14, 8}, {14, 10.6}}), polyline({{11.2, 8}, {11.2, 10}})});
    case Icon::Person: return person();
    case Icon::ChevronDown: return polyline({{4.2, 6.2}, {8, 10}, {11.8, 6.2}});
    case Icon::ChevronUp: return polyline({{4.2, 9.8}, {8, 6}, {11.8, 9.8}});
    case Icon::ChevronRight: return polyline({{6.2, 4.2}, {10, 8}, {6.2, 11.8}});
    case Icon::ArrowRight: return join({polyline({{2, 8}, {13.6, 8}}), polyline({{9.6, 4}, {13.6, 8}, {9.6, 12}})});
    case Icon::Question: return join({disc(8, 8, 6), question()});
    default: return {};
    }
}

QPainterPath pagePath(Icon icon)
{
    switch (icon) {
    case Icon::Overview:
        return join({disc(4.8, 4.8, 2.2), box(9, 2.6, 4.4, 4.4), box(2.6, 9, 4.4, 4.4), box(9, 9, 4.4, 4.4)});
    case Icon::Unknown: return join({diamond(), question()});
    case Icon::Approvals:
        return join({polyline({{1.6, 8.6}, {4.4, 11.4}, {9.6, 5.2}}), polyline({{7.6, 11.2}, {8, 11.6}, {14.4, 4.6}})});
    case Icon::Reconciliation: return join({box(1.8, 4, 4, 8), box(10.2, 4, 4, 8), polyline({{5.8, 8}, {10.2, 8}})});
    case Icon::Payments:
        return join(
            {box(1.8, 3.4, 12.4, 9.2), polyline({{1.8, 6.6}, {14.2, 6.6}}), polyline({{4.2, 9.8}, {6.4, 9.8}})});
    case Icon::Accounts:
        return join({box(2.4, 2.4, 11.2, 11.2), polyline({{2.4, 6}, {13.6, 6}}), polyline({{7.4, 6}, {7.4, 13.6}})});
    case Icon::Messages: return tray(true);
    case Icon::Engines:
        return join({box(2, 2.6, 12, 4.6), box(2, 8.8, 12, 4.6), polyline({{4.4, 4.9}, {5, 4.9}}),
                     polyline({{4.4, 11.1}, {5, 11.1}})});
    case Icon::Metrics:
        return join(
            {polyline({{2.2, 2}, {2.2, 13.8}, {14, 13.8}}), polyline({{4.6, 10.4}, {7.2, 7}, {9.4, 9}, {13.4, 4}})});
    case Icon::Audit:
        return join({box(3, 1.8, 10, 12.4), polyline({{5.6, 5.2}, {10.4, 5.2}}), polyline({{5.6, 8}, {10.4, 8}}),
                     polyline({{5.6, 10.8}, {8.4, 10.8}})});
    case Icon::Setup:
        return join({polyline({{1.8, 5}, {8.2, 5}}), disc(10, 5, 1.8), polyline({{11.8, 5}, {14.2, 5}}),
                     polyline({{1.8, 11}, {4.2, 11}}), disc(6, 11, 1.8), polyline({{7.8, 11}, {14.2, 11}})});
    case Icon::Settings: return gear();
    default: return {};
    }
}

} // namespace

void drawIcon(QPainter& painter, const QRectF& box, Icon icon, const QColor& color)
{
    if (icon == Icon::None)
        return;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(box.topLeft());
    painter.scale(box.width() / 16.0, box.height() / 16.0);
    if (icon == Icon::Dot) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(color);
        painter.drawEllipse(QPointF(8, 8), 4, 4);
    } else {
        painter.setPen(QPen(color, 1.3, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter.setBrush(Qt::NoBrush);
        painter.drawPath(icon >= Icon::Overview ? pagePath(icon) : controlPath(icon));
    }
    painter.restore();
}

} // namespace tekil::ui
