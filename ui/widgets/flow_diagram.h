// Payments as they flow now: the states with their counts, and each way between them as wide as what takes it. The ways
// are those of the transition table, so that nothing can be drawn which the table lacks.
#pragma once

#include "core/base/payment_state.h"

#include <QHash>
#include <QVector>
#include <QWidget>

namespace tekil::ui {

struct FlowNodeFace {
    QString count; // "38"
    QString held; // "21,480.10 TRY +2", or what became of the reservations
    QString more; // "oldest 1.9 s"
    bool asks = false; // drawn with a ring: somebody has to look
};

struct FlowWay {
    PaymentState from, to;
    std::int64_t perMinute = 0; // its width follows
    QString rate; // "402.1 /s"
};

struct FlowFace {
    QHash<PaymentState, FlowNodeFace> nodes;
    QVector<FlowWay> ways; // one for each row of the transition table
    std::int64_t cameAMinute = 0;
    QString came; // "412.7 /s"
};

class FlowNode;

class FlowDiagram : public QWidget {
    Q_OBJECT
public:
    explicit FlowDiagram(QWidget* parent = nullptr);
    void setFace(const FlowFace& face);
    const FlowFace& face() const { return m_face; }
    QWidget* node(PaymentState state) const;
    // 1 px for nothing, 8 px for ten thousand a second; in between by the logarithm.
    static qreal widthOf(std::int64_t perMinute);
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void stateActivated(tekil::PaymentState state);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    struct Line {
        QVector<QPointF> points;
        QPointF label; // where its rate begins or, for a fork, ends
        bool labelEnds = false;
    };
    void arrange();
    QRect nodeRect(PaymentState state) const;
    Line lineOf(const PaymentTransition& row) const;
    void paintWay(QPainter& painter, const Line& line, std::int64_t perMinute, const QString& rate) const;

    FlowFace m_face;
    QHash<PaymentState, FlowNode*> m_nodes;
};

} // namespace tekil::ui
