// A tile of the overview: its name, one value, and below it a line of recent values or a line of words. A click opens
// what it counts.
#pragma once

#include "ui/widgets/spark_line.h"
#include "ui/widgets/state_shape.h"

#include <QAbstractButton>

namespace tekil::ui {

struct TileFace {
    QString name;
    QString value; // "412.7"
    QString unit;  // "/s"
    QString note;  // at the right of the value: "peak 31 /s"
    QString words; // below: "44,032.40 TRY held"
    QString moreWords;
    std::optional<SparkValues> line;
    std::optional<Shape> shape; // before the name
    bool asks = false;          // the value stands in the shape's hue
};

class MetricTile : public QAbstractButton {
    Q_OBJECT
public:
    explicit MetricTile(QWidget* parent = nullptr);
    void setFace(const TileFace& face);
    const TileFace& face() const { return m_face; }
    void setDivider(bool divider) { m_divider = divider; } // a line at its right edge
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void paintWords(QPainter& painter, const QRect& inner) const;

    TileFace m_face;
    bool m_divider = true;
};

} // namespace tekil::ui
