// The columns are those of sql/console/overview, in their order.
#include "ui/overview/overview_reading.h"

#include "sql_console.h"
#include "ui/db/list_query.h"

namespace tekil::ui::overview {

using namespace Qt::Literals::StringLiterals;

namespace {

EngineState engineStateOf(const QString& name)
{
    if (name == u"running"_s)
        return EngineState::Running;
    if (name == u"draining"_s)
        return EngineState::Draining;
    return name == u"silent"_s ? EngineState::Silent : EngineState::Stopped;
}

void readCounts(const Rows& rows, Reading& reading)
{
    for (const Row& row : rows)
        if (const auto state = paymentStateFromName(row.text(0).toStdString()))
            reading.counts.append(
                {*state, row.text(1), static_cast<int>(row.int64(2)), row.int64(3), row.int64Or(4, 0)});
}

void readNow(const Rows& rows, Reading& reading)
{
    const Row& row = rows.front();
    if (!row.isNull(0))
        reading.oldestProcessing = OpenPayment{row.text(0), row.int64(1)};
    if (!row.isNull(2))
        reading.oldestUnknown = OpenPayment{row.text(2), row.int64(3)};
    reading.recovering = row.int64(4);
    reading.running = row.int64(5);
    reading.draining = row.int64(6);
    reading.lastBeatUs = row.int64Or(7, 0);
    reading.serverNowUs = row.int64(8);
}

void readFlow(const Rows& rows, Reading& reading)
{
    for (const Row& row : rows)
        reading.flow.append({row.int64(0), row.boolean(1), row.int64(2), row.int64(3), row.int64(4), row.int64(5),
                             row.int64(6), row.int64(7)});
}

void readEngines(const Rows& rows, Reading& reading)
{
    for (const Row& row : rows)
        reading.engines.append({row.text(0), row.text(1), row.text(2), row.text(3), row.int64(4),
                                engineStateOf(row.text(5)), row.int64(6), row.int64(7), row.text(9), row.text(10)});
}

void readBooks(const Rows& rows, Reading& reading)
{
    for (const Row& row : rows) {
        if (!reading.books)
            reading.books = BooksCheck{row.int64(0), row.int64(1), row.int64(2),      row.int64(3),
                                       row.int64(4), row.int64(5), row.int64Or(6, 0), {}};
        if (!row.isNull(7))
            reading.books->totals.append({row.text(7), static_cast<int>(row.int64(8)), row.text(9), row.text(10)});
    }
}

} // namespace

std::int64_t FlowSecond::of(const PaymentTransition& row) const
{
    const bool fromUnknown = row.from == PaymentState::Unknown;
    switch (row.to) {
    case PaymentState::Completed: return fromUnknown ? provedCompleted : completed;
    case PaymentState::Failed: return fromUnknown ? provedFailed : failed;
    case PaymentState::Unknown: return unknown;
    case PaymentState::Processing: break;
    }
    return 0;
}

std::int64_t Reading::payments(PaymentState state) const
{
    std::int64_t sum = 0;
    for (const StateCount& one : counts)
        if (one.state == state)
            sum += one.payments;
    return sum;
}

QVector<Query> readingQueries()
{
    namespace sql = tekil::sql::console::overview;
    QVector<Query> queries;
    for (const tekil::sql::Statement& one : {sql::counts, sql::now, sql::flow, sql::engines, sql::books, sql::problems})
        queries << statement(one);
    return queries;
}

Reading readingOf(const QVector<Rows>& rows)
{
    TEKIL_CHECK(rows.size() == 6 && rows.at(1).size() == 1);
    Reading reading;
    readCounts(rows.at(0), reading);
    readNow(rows.at(1), reading);
    readFlow(rows.at(2), reading);
    readEngines(rows.at(3), reading);
    readBooks(rows.at(4), reading);
    for (const Row& row : rows.at(5))
        reading.problems.append({row.text(0), row.text(1), row.text(2), row.int64(3)});
    return reading;
}

} // namespace tekil::ui::overview
