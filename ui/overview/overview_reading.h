// One reading of what is on now, of one snapshot. Money is minor units; instants are microseconds since 1970 UTC.
#pragma once

#include "core/base/payment_state.h"
#include "ui/db/worker.h"

#include <QStringList>

#include <optional>

namespace tekil::ui::overview {

struct StateCount {
    PaymentState state = PaymentState::Processing;
    QString currency;
    int exponent = 0;
    std::int64_t payments = 0;
    std::int64_t heldMinor = 0; // of open states
};

struct OpenPayment {
    QString operationId;
    std::int64_t createdUs = 0;
};

// What happened in one second; nothing is known of it where no engine gave a sign of life.
struct FlowSecond {
    std::int64_t atUs = 0;
    bool seen = false;
    std::int64_t came = 0, completed = 0, failed = 0, unknown = 0, provedCompleted = 0, provedFailed = 0;
    std::int64_t of(const PaymentTransition& row) const;
};

enum class EngineState : std::uint8_t { Running, Draining, Silent, Stopped };

struct EngineRow {
    QString id, program, version, host;
    std::int64_t pid = 0;
    EngineState state = EngineState::Stopped;
    std::int64_t startedUs = 0, heartbeatUs = 0;
    QString roles, http;
};

// One side of the books against the other; text, since a sum may be larger than 64 bits.
struct BooksTotal {
    QString currency;
    int exponent = 0;
    QString credit, debit;
};

struct BooksCheck {
    std::int64_t endedUs = 0, tookUs = 0, accounts = 0, entries = 0, transactions = 0, problems = 0;
    std::int64_t passEndedUs = 0; // 0: no pass over all accounts has ended yet
    QVector<BooksTotal> totals;
};

struct BooksProblem {
    QString kind, subject, problem;
    std::int64_t foundUs = 0;
};

struct Reading {
    QVector<StateCount> counts;
    std::optional<OpenPayment> oldestProcessing, oldestUnknown;
    std::int64_t recovering = 0, running = 0, draining = 0;
    std::int64_t lastBeatUs = 0; // of any engine; 0: none was ever started
    std::int64_t serverNowUs = 0;
    QVector<FlowSecond> flow; // the last whole minute
    QVector<EngineRow> engines;
    std::optional<BooksCheck> books; // nothing: never checked, or not for a day
    QVector<BooksProblem> problems;

    std::int64_t payments(PaymentState state) const;
};

// The queries of one reading, and what their answers mean.
QVector<Query> readingQueries();
Reading readingOf(const QVector<Rows>& rows);

} // namespace tekil::ui::overview
