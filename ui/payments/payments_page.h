// The page of payments: title, filter, live table, and what the window asks of a page.
#pragma once

#include "ui/payments/payment_source.h"
#include "ui/shell/desk_page.h"

#include <QTimer>

namespace tekil::ui {
class Button;
class Field;
class Label;
class RecordTable;
} // namespace tekil::ui

namespace tekil::ui::payments {

class PaymentInspector;

class PaymentsPage : public DeskPage {
    Q_OBJECT
public:
    explicit PaymentsPage(Session* session, QWidget* parent = nullptr);
    ~PaymentsPage() override;

    QString id() const override;
    QString word() const override;
    Icon icon() const override { return Icon::Payments; }
    QWidget* inspector() override;
    QStringList statusParts() const override;
    void focusFilter() override;
    void focusContent() override;
    void refreshNow() override;
    void showColumns() override;
    void showFiltered(const QString& filter) override;
    void tick() override;
    bool finds() const override { return true; }
    void find(const QString& text, std::function<void(const FindAnswer&)> then) override;
    void open(const QString& recordId) override;

    RecordTable* table() const { return m_table; }
    Field* filterField() const { return m_filter; }
    KeysetModel* model() const { return m_model; }

protected:
    void changeEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    static FindHit hitOf(const Row& row, const QString& by);
    void build();
    void connectParts();
    void makeTable();
    void applyFilter(const QString& text);
    void onLive();
    void onState();
    void showScope();
    void showEmptyText();
    void showTrailing();
    void openWindow(const QString& operationId);
    void retranslate();

    Session* m_session;
    PaymentSource* m_source;
    KeysetModel* m_model = nullptr;
    RecordTable* m_table = nullptr;
    PaymentInspector* m_inspector;
    Label *m_title, *m_scope;
    Button* m_columns;
    Field* m_filter;
    QWidget* m_tablePlace;
    QString m_goodFilter; // the last that could be read
    quint64 m_find = 0;
    std::int64_t m_fullReadUs = 0;
    bool m_missed = false; // something changed while another page was shown
};

} // namespace tekil::ui::payments
