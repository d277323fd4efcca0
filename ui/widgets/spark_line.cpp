// Own painter: a dozen of these are drawn a second, each some sixty points, and a chart library would animate them.
#include "ui/widgets/spark_line.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>

namespace tekil::ui {

void drawSparkLine(QPainter& painter, const QRectF& box, const SparkValues& values, const QColor& dot,
                   const Tokens& tokens)
{
    drawHairline(painter, box, Qt::BottomEdge, tokens.line);
    if (values.size() < 2)
        return;
    std::int64_t largest = 1;
    for (const auto& value : values)
        largest = std::max(largest, value.value_or(0));
    const qreal radius = px(2.5);
    const QRectF area = box.adjusted(0, radius, -radius, -radius);
    const qreal step = area.width() / static_cast<qreal>(values.size() - 1);
    const qreal scale = area.height() / (static_cast<qreal>(largest) * 1.15);
    const auto pointOf = [&](qsizetype i) {
        return QPointF(area.left() + step * static_cast<qreal>(i),
                       area.bottom() - scale * static_cast<qreal>(*values.at(i)));
    };
    QPainterPath path;
    for (qsizetype i = 0; i < values.size(); ++i) {
        if (!values.at(i))
            continue;
        if (i > 0 && values.at(i - 1))
            path.lineTo(pointOf(i));
        else
            path.moveTo(pointOf(i));
    }
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(tokens.ink2, 1.25, Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin));
    painter.drawPath(path);
    if (values.last()) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(dot);
        painter.drawEllipse(pointOf(values.size() - 1), radius, radius);
    }
    painter.restore();
}

} // namespace tekil::ui
