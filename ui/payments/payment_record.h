// One payment with all that belongs to it, as read in one snapshot.
#pragma once

#include "core/base/payment_state.h"
#include "ui/db/session.h"

#include <QJsonObject>

#include <optional>

namespace tekil::ui::payments {

struct StateChange {
    PaymentState from, to;
    QString cause;
    std::int64_t atUs;
    friend bool operator==(const StateChange&, const StateChange&) = default;
};

struct Attempt {
    int number;
    QString state; // open | answered | no_answer | not_sent
    std::optional<int> httpStatus;
    QString why, provider, requestBody, answerBody; // the bodies are empty where the role does not read them
    std::int64_t startedUs, endedUs, sendBeforeUs;   // endedUs is 0 while it is open
    friend bool operator==(const Attempt&, const Attempt&) = default;
};

struct KeyEvent {
    QString kind;
    QJsonObject facts;
    std::int64_t atUs;
    QString operationId; // may be another's: a refused claim under the same key
    QString engine;      // "tekild", with its host where there is one
    friend bool operator==(const KeyEvent&, const KeyEvent&) = default;
};

struct Reservation {
    std::int64_t accountId;
    QString owner;
    std::int64_t amountMinor;
    ReservationState state;
    std::int64_t createdUs, expiresUs, endedUs; // endedUs is 0 while Active
    friend bool operator==(const Reservation&, const Reservation&) = default;
};

struct LedgerLine {
    std::int64_t accountId;
    QString owner;
    std::int64_t amountMinor;
    QString currency;
    int exponent;
    friend bool operator==(const LedgerLine&, const LedgerLine&) = default;
};

struct StoredKey {
    int hashVersion;
    QString requestHash;
    std::int64_t leaseEpoch;
    std::optional<int> responseStatus;
    QString responseBody;
    std::int64_t createdUs, expiresUs;
    bool invoiceIsNumber;
    friend bool operator==(const StoredKey&, const StoredKey&) = default;
};

// What people must look at of it: the provider's word and the books contradict each other.
struct Case {
    QString kind;
    bool isOpen;
    std::int64_t openedUs;
    friend bool operator==(const Case&, const Case&) = default;
};

struct PaymentRecord {
    QString operationId;
    PaymentState state;
    std::int64_t amountMinor;
    QString currency;
    int exponent;
    std::int64_t createdUs, updatedUs, completedUs; // completedUs is 0 while it has not ended
    QString invoice, key, merchant, type;
    std::int64_t accountId, collectionAccountId;
    QString customer, description, provider, providerReference, declineCode, failureCode, unknownReason;
    QVector<StateChange> changes;
    QVector<Attempt> attempts;
    QVector<KeyEvent> events;
    std::optional<Reservation> reservation;
    QVector<LedgerLine> entries;    // written
    QVector<LedgerLine> wouldWrite; // what a capture would write; only while that can still come
    std::optional<StoredKey> stored;
    QVector<Case> cases;

    std::int64_t stateSinceUs() const { return changes.isEmpty() ? createdUs : changes.back().atUs; }
    friend bool operator==(const PaymentRecord&, const PaymentRecord&) = default;
};

QVector<Query> recordQueries(const QString& operationId);
// Nothing where there is no such payment.
std::optional<PaymentRecord> recordOf(const Answer& answer);

} // namespace tekil::ui::payments
