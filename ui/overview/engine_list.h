// The engines: which run, which drain, which fell silent, and how old each one's last sign of life is.
#pragma once

#include "ui/overview/overview_words.h"

#include <QWidget>

namespace tekil::ui::overview {

class EngineList : public QWidget {
    Q_OBJECT
public:
    explicit EngineList(QWidget* parent = nullptr);
    void setEngines(const QVector<EngineRow>& engines, std::int64_t nowUs);
    QStringList lines() const; // as they are read out
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void paintRow(QPainter& painter, const QRect& row, const EngineRow& engine) const;

    QVector<EngineRow> m_engines;
    std::int64_t m_nowUs = 0;
    bool m_isRead = false;
};

} // namespace tekil::ui::overview
