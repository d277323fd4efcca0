#include "core/bench/seeding.h"

#include "core/bench/interrupt.h"
#include "sql_bench.h"

#include <algorithm>

namespace tekil::bench {

namespace {

constexpr std::int64_t kChunk = 50'000;
constexpr std::int64_t kFirstInvoice = 1'000'000; // below those of the payments that are measured

Result<void> seedChunk(db::Connection& connection, const Seeding& seeding, const db::Params& draft, Uuid instance)
{
    namespace statements = sql::bench::seed;
    using Step = std::pair<const sql::Statement*, const db::Params*>;
    auto transaction = db::Transaction::begin(connection);
    if (!transaction)
        return transaction.error();
    db::Params provider, records, attempts, self;
    provider.add(seeding.provider);
    records.add(seeding.provider).add(instance);
    attempts.add(seeding.provider).add(instance);
    self.add(instance);
    const db::Params none;
    for (const auto& [statement, params] :
         {Step(&statements::draft, &draft), Step(&statements::messages, &none), Step(&statements::records, &records),
          Step(&statements::identities, &none), Step(&statements::payments, &provider),
          Step(&statements::stateChanges, &none), Step(&statements::reservations, &none),
          Step(&statements::attempts, &attempts), Step(&statements::events, &self),
          Step(&statements::transactions, &self), Step(&statements::entries, &none), Step(&statements::balances, &none),
          Step(&statements::counters, &none)})
        if (const auto done = transaction->run(*statement, *params); !done)
            return done.error();
    return transaction->commit();
}

} // namespace

Result<void> seed(Site& site, const Seeding& seeding)
{
    db::ConnectionSettings settings;
    settings.applicationName = "tekil-bench seed";
    settings.statementTimeoutMs = 0;
    settings.extra = {{"jit", "off"}, {"work_mem", "256MB"}};
    auto connection = db::Connection::open(site.adminDsn(), settings);
    if (!connection)
        return connection.error();
    for (const auto* statement : {&sql::bench::seed::withoutTriggers, &sql::bench::seed::draftTable})
        if (const auto done = connection->run(*statement); !done)
            return done.error();
    const Parties& parties = site.parties();
    const Uuid instance = Uuid::next();
    for (std::int64_t first = 1; first <= seeding.payments; first += kChunk) {
        if (const auto on = goOn(); !on)
            return on;
        db::Params draft;
        draft.add(first).add(std::min(first + kChunk - 1, seeding.payments)).add(seeding.payments);
        draft.add(parties.firstMerchant).add(parties.firstAccount).add(parties.firstCollection);
        draft.add(parties.apiKeys.size()).add(seeding.keys == Keys::V4).add(seeding.mode).add(kFirstInvoice);
        draft.add(site.options().accounts);
        if (const auto done = seedChunk(*connection, seeding, draft, instance); !done)
            return done;
    }
    for (const auto* statement : {&sql::bench::site::vacuum, &sql::bench::site::checkpoint})
        if (const auto done = runLong(*connection, *statement); !done)
            return done.error();
    return {};
}

} // namespace tekil::bench
