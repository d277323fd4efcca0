// The life of one payment as a picture: the way taken, the ways still possible, and those that are not any more.
// Edges are made from the transition table, so that nothing can be drawn which the table lacks.
#pragma once

#include "core/base/payment_state.h"

#include <QGraphicsView>
#include <QHash>
#include <QString>
#include <QVector>

namespace tekil::ui {

struct StateStep {
    PaymentState state;
    QString at;    // "14:07:09.118"
    QString after; // time since the step before, empty for the first
};

struct StateWay {
    QVector<StateStep> steps;               // in order; the last one is the current state
    QHash<PaymentState, QString> proofs;    // "proof: charged", for states that can still be reached
};

class StateDiagram : public QGraphicsView {
    Q_OBJECT
public:
    explicit StateDiagram(QWidget* parent = nullptr);
    void setWay(const StateWay& way);

    enum class Edge : std::uint8_t { Taken, Possible, Closed };
    Edge edgeOf(const PaymentTransition& row) const; // for each row of the transition table

    QSize sizeHint() const override;

Q_SIGNALS:
    void stateActivated(tekil::PaymentState state); // Enter or double click on a node

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void build();
    QRectF nodeRect(PaymentState state) const;
    void addNode(PaymentState state);
    void addEdge(const PaymentTransition& row);
    const StateStep* stepOf(PaymentState state) const;

    StateWay m_way;
};

} // namespace tekil::ui
