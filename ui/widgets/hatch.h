// Lies over a widget whose data is not current and draws the oblique lines; it takes no clicks.
#pragma once

#include <QWidget>

namespace tekil::ui {

class Hatch : public QWidget {
    Q_OBJECT
public:
    explicit Hatch(QWidget* over);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
};

} // namespace tekil::ui
