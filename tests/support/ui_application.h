// What every ui test stands on: a QApplication with Tekil's theme, settings of its own, and helpers to look at pixels.
#pragma once

#include <QColor>
#include <QImage>
#include <QWidget>

namespace tekil::test {

// The widget as it would be painted at this device pixel ratio.
QImage imageOf(QWidget& widget, qreal dpr = 1.0);

// How many pixels of the rectangle have exactly this colour. The rectangle counts device pixels.
int pixelsOf(const QImage& image, const QColor& color, const QRect& area = {});

} // namespace tekil::test
