// Gives the keyset model its pages of payments, and reads again the rows that may have changed.
#pragma once

#include "ui/db/keyset_model.h"
#include "ui/db/session.h"

namespace tekil::ui::payments {

// The columns of the list, in the order of sql/console/payments/list.sql's meaning.
QVector<Column> paymentColumns();

class PaymentSource : public PageSource {
    Q_OBJECT
public:
    PaymentSource(Session* session, QObject* parent);

    void request(const PageRequest& request) override;
    void cancel(quint64 requestId) override;
    // Reads these payments again, whatever the filter; the answer is rowsRead().
    void readAgain(const QStringList& operationIds);

Q_SIGNALS:
    void rowsRead(const QVector<tekil::ui::RecordRow>& rows);

private:
    struct Asked {
        PageRequest request;
        quint64 sessionId = 0; // 0: parked until the connection is back
    };

    void send(Asked& asked);
    void answer(const PageRequest& request, const Answer& answer);
    void resume();

    Session* m_session;
    QHash<quint64, Asked> m_asked;
    bool m_readingAgain = false;
};

} // namespace tekil::ui::payments
