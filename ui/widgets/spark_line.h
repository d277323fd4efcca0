// A line of recent values, one a step: gaps stay gaps, the last value is a dot, and nothing moves by itself.
#pragma once

#include "ui/widgets/theme.h"

#include <QVector>

#include <cstdint>
#include <optional>

namespace tekil::ui {

// Nothing where a value is not known: the line is not joined over it.
using SparkValues = QVector<std::optional<std::int64_t>>;

// The axis runs from zero to a little above the largest value, so that the line's height is its size.
void drawSparkLine(QPainter& painter, const QRectF& box, const SparkValues& values, const QColor& dot,
                   const Tokens& tokens);

} // namespace tekil::ui
