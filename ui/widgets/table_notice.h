// What a table shows in the place of rows: that it is loading, that it is empty and why, or that reading failed.
#pragma once

#include "ui/widgets/controls.h"
#include "ui/widgets/state_shape.h"

#include <QWidget>

#include <optional>

namespace tekil::ui {

class TableNotice : public QWidget {
    Q_OBJECT
public:
    explicit TableNotice(QWidget* parent);
    void show(std::optional<Shape> shape, const QString& what, const QString& wayOut, const QString& action);
    QString what() const { return m_what->text(); }

Q_SIGNALS:
    void actionRequested();

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    std::optional<Shape> m_shape;
    Label* m_what;
    Label* m_wayOut;
    Button* m_action;
};

} // namespace tekil::ui
