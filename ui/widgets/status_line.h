// The status bar at the window's foot: connection, counts, selection, and long work with its progress at the right.
#pragma once

#include "ui/widgets/controls.h"
#include "ui/widgets/state_shape.h"

#include <QWidget>

#include <optional>

class QHBoxLayout;
class QProgressBar;

namespace tekil::ui {

class StatusLine : public QWidget {
    Q_OBJECT
public:
    explicit StatusLine(QWidget* parent = nullptr);

    void setConnection(const QString& text, bool connected); // a dot, or a waiting clock in its own hue
    void setParts(const QStringList& parts);                 // facts, parted by hairlines
    void setJob(const QString& text, int percent);           // -1: how far is not known
    void clearJob();

    QSize sizeHint() const override;

Q_SIGNALS:
    void cancelJobRequested();

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    QString m_connection;
    bool m_connected = true;
    QStringList m_parts;
    QWidget* m_job;
    Label* m_jobText;
    QProgressBar* m_progress;
    IconButton* m_cancel;
};

} // namespace tekil::ui
