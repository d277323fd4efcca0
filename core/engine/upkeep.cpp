#include "core/engine/upkeep.h"

#include "sql_queries.h"

#include <spdlog/spdlog.h>

namespace tekil::engine {

namespace {

using namespace std::chrono_literals;

constexpr auto kLook = 2s;
constexpr int kFoldLooks = 5; // counters are folded at every fifth look
constexpr auto kPatience = 1s;
constexpr int kNicer = 5; // payments come first
// The overview draws a minute; what is older is in the totals.
constexpr char kDrawn[] = "2 minutes";
constexpr char kCadence[] = "10 seconds";

Result<void> runAll(db::Connection& connection, std::vector<std::function<Result<void>(db::Connection&)>>& works)
{
    for (auto& work : works)
        if (const auto done = work(connection); !done)
            return done;
    return {};
}

} // namespace

Upkeep::Upkeep(http::Loop& loop, const std::string& dsn, Uuid instance, int niceness)
    : m_loop(loop), m_instance(instance), m_lane(
                                              {.name = "upkeep",
                                               .dsn = dsn,
                                               .niceness = niceness + kNicer,
                                               .maxBatch = 1,
                                               .capacity = 4,
                                               .patience = kPatience},
                                              [this](db::Connection& connection, std::vector<Work>& works) {
                                                  const auto done = runAll(connection, works);
                                                  if (done)
                                                      --m_waiting;
                                                  return done;
                                              },
                                              [this](std::vector<Work>& works, const Error& error) {
                                                  m_waiting -= static_cast<int>(works.size());
                                                  if (error.code != ErrorCode::Draining)
                                                      spdlog::warn("upkeep failed: {}", error.detail);
                                              })
{
}

void Upkeep::start()
{
    look();
}

void Upkeep::stop()
{
    m_stopped = true;
    m_lane.stop();
}

void Upkeep::look()
{
    if (m_stopped)
        return;
    // A check that takes longer than the time between two looks is not asked for twice.
    const auto add = [this](Work work) {
        ++m_waiting;
        if (!m_lane.push(std::move(work)))
            --m_waiting;
    };
    if (m_waiting == 0) {
        if (m_looks++ % kFoldLooks == 0)
            add([this](db::Connection& connection) { return fold(connection); });
        add([this](db::Connection& connection) { return checkBooks(connection); });
    }
    m_loop.after(kLook, [this] { look(); });
}

Result<void> Upkeep::fold(db::Connection& connection)
{
    const auto done = connection.run(sql::overview::foldFlow, db::Params().add(kDrawn));
    return done ? Result<void>() : done.error();
}

Result<void> Upkeep::checkBooks(db::Connection& connection)
{
    const auto rows = connection.run(sql::ledger::checkBooks, db::Params().add(m_instance).add(kCadence));
    if (!rows)
        return rows.error();
    if (rows->count() == 0)
        return {};
    const std::int64_t problems = rows->int64(0, 0);
    if (problems > 0 && problems != m_problems)
        spdlog::critical("the books do not balance: {} problems, the first: {}", problems, rows->text(0, 1));
    else if (problems == 0 && m_problems > 0)
        spdlog::info("the books balance again");
    m_problems = problems;
    return {};
}

} // namespace tekil::engine
