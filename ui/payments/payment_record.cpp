// Column by column, in the order of sql/console/payments.
#include "ui/payments/payment_record.h"

#include "sql_console.h"
#include "ui/db/list_query.h"

#include <QJsonDocument>

namespace tekil::ui::payments {

using namespace Qt::Literals::StringLiterals;

namespace {

PaymentState stateOf(const QString& name)
{
    const std::optional<PaymentState> state = paymentStateFromName(name.toStdString());
    TEKIL_CHECK(state.has_value());
    return *state;
}

int intOf(const Row& row, int column)
{
    return static_cast<int>(row.int64(column));
}

std::optional<int> optionalInt(const Row& row, int column)
{
    return row.isNull(column) ? std::nullopt : std::optional(intOf(row, column));
}

PaymentRecord headOf(const Row& row)
{
    PaymentRecord head{};
    head.operationId = row.text(0);
    head.state = stateOf(row.text(1));
    head.amountMinor = row.int64(2);
    head.currency = row.text(3);
    head.exponent = intOf(row, 4);
    head.createdUs = row.int64(5);
    head.updatedUs = row.int64(6);
    head.completedUs = row.int64Or(7, 0);
    head.invoice = row.text(8);
    head.key = row.text(9);
    head.merchant = row.text(10);
    head.type = row.text(11);
    head.accountId = row.int64(12);
    head.collectionAccountId = row.int64(13);
    head.customer = row.text(14);
    head.description = row.text(15);
    head.provider = row.text(16);
    head.providerReference = row.text(17);
    head.declineCode = row.text(18);
    head.failureCode = row.text(19);
    head.unknownReason = row.text(20);
    return head;
}

Attempt attemptOf(const Row& row)
{
    return {intOf(row, 0), row.text(1), optionalInt(row, 2), row.text(3),       row.text(4),
            row.text(5),   row.text(6), row.int64(7),        row.int64Or(8, 0), row.int64(9)};
}

KeyEvent eventOf(const Row& row)
{
    return {row.text(0), QJsonDocument::fromJson(row.text(1).toUtf8()).object(), row.int64(2), row.text(3),
            row.isNull(4) ? QString() : row.text(4)};
}

LedgerLine lineOf(const Row& row)
{
    return {row.int64(1), row.text(2), row.int64(3), row.text(4), intOf(row, 5)};
}

std::optional<Reservation> reservationOf(const Rows& rows)
{
    if (rows.isEmpty())
        return std::nullopt;
    const Row& row = rows.front();
    const std::optional<ReservationState> state = reservationStateFromName(row.text(5).toStdString());
    TEKIL_CHECK(state.has_value());
    return Reservation{row.int64(0), row.text(1), row.int64(2), *state, row.int64(6), row.int64(7), row.int64Or(8, 0)};
}

std::optional<StoredKey> storedOf(const Rows& rows)
{
    if (rows.isEmpty())
        return std::nullopt; // the key's retention is over
    const Row& row = rows.front();
    return StoredKey{intOf(row, 0), row.text(1),  row.int64(2), optionalInt(row, 4),
                     row.text(5),   row.int64(6), row.int64(7), row.boolean(8)};
}

} // namespace

QVector<Query> recordQueries(const QString& operationId)
{
    namespace sqlPayments = sql::console::payments;
    QVector<Query> queries;
    for (const sql::Statement& one : {sqlPayments::payment, sqlPayments::stateChanges, sqlPayments::attempts,
                                      sqlPayments::events, sqlPayments::reservation, sqlPayments::entries,
                                      sqlPayments::wouldWrite, sqlPayments::record, sqlPayments::cases})
        queries << statement(one, {{u":operation_id"_s, operationId}});
    return queries;
}

std::optional<PaymentRecord> recordOf(const Answer& answer)
{
    TEKIL_CHECK(!answer.failed() && answer.rows.size() == 9);
    if (answer.rows.at(0).isEmpty())
        return std::nullopt;
    PaymentRecord record = headOf(answer.rows.at(0).front());
    for (const Row& row : answer.rows.at(1))
        record.changes << StateChange{stateOf(row.text(0)), stateOf(row.text(1)), row.text(2), row.int64(3)};
    for (const Row& row : answer.rows.at(2))
        record.attempts << attemptOf(row);
    for (const Row& row : answer.rows.at(3))
        record.events << eventOf(row);
    record.reservation = reservationOf(answer.rows.at(4));
    for (const Row& row : answer.rows.at(5))
        record.entries << lineOf(row);
    if (!isEnd(record.state))
        for (const Row& row : answer.rows.at(6))
            record.wouldWrite << lineOf(row);
    record.stored = storedOf(answer.rows.at(7));
    for (const Row& row : answer.rows.at(8))
        record.cases << Case{row.text(0), row.text(1) == u"open"_s, row.int64(2)};
    return record;
}

} // namespace tekil::ui::payments
