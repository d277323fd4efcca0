#include "core/payments/retention.h"

#include "sql_queries.h"

#include <spdlog/spdlog.h>

namespace tekil::payments {

namespace {

using namespace std::chrono_literals;

constexpr auto kSweep = 5s;
constexpr auto kPause = 20ms; // between batches while there is more: the others' turn
constexpr std::int64_t kBatch = 500;

Result<void> runAll(db::Connection& connection, std::vector<Chore>& chores)
{
    for (Chore& chore : chores)
        if (auto done = chore.run(connection); !done)
            return done;
    return {};
}

} // namespace

Retention::Retention(http::Loop& loop, std::string dsn, int niceness)
    : m_loop(loop), m_lane({.name = "retention", .dsn = std::move(dsn), .niceness = niceness, .patience = 2s}, runAll,
                           [](std::vector<Chore>& chores, const Error& error) {
                               for (Chore& chore : chores)
                                   chore.failed(error);
                           })
{
}

void Retention::stop()
{
    m_stopped = true;
    m_lane.stop();
}

void Retention::sweep()
{
    if (m_stopped)
        return;
    const auto failed = [this](const Error& error) {
        spdlog::warn("retention: {}", error.detail);
        m_loop.after(kSweep, [this] { sweep(); });
    };
    if (!m_lane.push(Chore{[this](db::Connection& connection) { return sweepOnce(connection); }, failed}))
        m_stopped = true; // the lane has ended
}

Result<void> Retention::sweepOnce(db::Connection& connection)
{
    const auto rows = connection.run(sql::payments::shrinkRecords, db::Params().add(kBatch));
    if (!rows)
        return rows.error();
    const std::int64_t shrunk = rows->int64(0, 0), deleted = rows->int64(0, 1);
    if (shrunk + deleted > 0)
        spdlog::info("retention: {} keys shrank to tombstones, {} tombstones went", shrunk, deleted);
    m_loop.after(shrunk + deleted >= kBatch ? std::chrono::milliseconds(kPause) : kSweep, [this] { sweep(); });
    return {};
}

} // namespace tekil::payments
