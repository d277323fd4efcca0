// One payment in full: why it is as it is before what happened to it, the money held and written, and the raw parts.
#pragma once

#include "ui/payments/payment_record.h"
#include "ui/widgets/controls.h"

#include <QStackedWidget>

class QScrollArea;
class QVBoxLayout;

namespace tekil::ui {
class ActionBar;
class CountTabs;
class EntriesBlock;
class FactsList;
class InspectorHeader;
class MessageBand;
class StateDiagram;
class Timeline;
} // namespace tekil::ui

namespace tekil::ui::payments {

class ReservationBlock;

class PaymentInspector : public QWidget {
    Q_OBJECT
public:
    explicit PaymentInspector(Session* session, QWidget* parent = nullptr);

    void open(const QString& operationId); // reads it; the one before stays until the answer is there
    QString operationId() const { return m_wanted; }
    const std::optional<PaymentRecord>& record() const { return m_record; }
    void refresh();
    void tick();
    void setInOwnWindow(bool own);

Q_SIGNALS:
    void closeRequested();
    void windowRequested(const QString& operationId);

protected:
    void changeEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void build();
    QWidget* buildSummary();
    QScrollArea* scrolled(QWidget* content);
    void answer(const QString& operationId, const Answer& answer);
    void onStateChanged();
    void showRecord(const PaymentRecord& record);
    void showSummary(const PaymentRecord& record);
    void showRequest(const PaymentRecord& record);
    void showAttempts(const PaymentRecord& record);
    void showNotice(const QString& what, const QString& wayOut);
    QString ageText() const;
    void copySummary();
    void retranslate();

    Session* m_session;
    QString m_wanted;
    quint64 m_request = 0;
    std::optional<PaymentRecord> m_record;
    QWidget* m_body;
    QWidget* m_notice;
    Label *m_noticeWhat, *m_noticeWay;
    InspectorHeader* m_header;
    MessageBand* m_failure;
    CountTabs* m_tabs;
    QStackedWidget* m_pages;
    StateDiagram* m_diagram;
    FactsList* m_facts;
    Timeline* m_timeline;
    ReservationBlock* m_reservation;
    EntriesBlock* m_entries;
    QVBoxLayout* m_requestColumn;
    QVBoxLayout* m_attemptsColumn;
    Timeline* m_history;
    ActionBar* m_acts;
};

} // namespace tekil::ui::payments
