#include "core/payments/commit_watch.h"

#include "core/base/clock.h"
#include "sql_queries.h"

#include <spdlog/spdlog.h>

#include <algorithm>

namespace tekil::payments {

void CommitWatch::registered(std::int64_t beats, std::int64_t heartbeatUs)
{
    const std::lock_guard lock(m_mutex);
    m_registered = true;
    m_beats = beats;
    m_heartbeatUs = heartbeatUs;
    m_beatAt = bootTime();
}

bool CommitWatch::isRegistered() const
{
    const std::lock_guard lock(m_mutex);
    return m_registered;
}

Result<void> CommitWatch::beat(db::Connection& connection)
{
    std::int64_t beats = 0, heartbeatUs = 0;
    std::chrono::nanoseconds beatAt{};
    {
        // Of before the statement: other lanes beat meanwhile, and their later answers may come first.
        const std::lock_guard lock(m_mutex);
        beats = m_beats;
        heartbeatUs = m_heartbeatUs;
        beatAt = m_beatAt;
    }
    const auto now = bootTime();
    const auto rows = connection.run(sql::engine::heartbeat, db::Params().add(m_instance));
    if (!rows)
        return rows.error();
    if (rows->count() == 0) {
        lose("the instance's row is gone", std::nullopt);
        return {};
    }
    if (rows->int64(0, 0) < beats || rows->int64(0, 1) < heartbeatUs)
        lose("heartbeat " + std::to_string(beats) + " was confirmed, the row tells "
                 + std::to_string(rows->int64(0, 0)),
             beatAt - std::chrono::microseconds(heartbeatUs - rows->int64(0, 1)));
    const std::lock_guard lock(m_mutex);
    if (rows->int64(0, 2) > m_beats || m_lost) {
        m_beats = rows->int64(0, 2);
        m_heartbeatUs = rows->int64(0, 3);
        m_beatAt = now;
    }
    return {};
}

void CommitWatch::recordIsGone(Uuid operationId)
{
    lose("operation " + operationId.text() + " has no record any more", std::nullopt);
}

void CommitWatch::lose(std::string what, std::optional<std::chrono::nanoseconds> since)
{
    const std::lock_guard lock(m_mutex);
    if (m_lost)
        return;
    spdlog::critical("the database has lost commits that it had confirmed: {}; nothing is sent until what this engine "
                     "remembers has been asked for",
                     what);
    m_what = std::move(what);
    m_lostSince = since;
    m_lost = true;
}

std::string CommitWatch::whatWasLost() const
{
    const std::lock_guard lock(m_mutex);
    return m_what;
}

void CommitWatch::remember(const OperationPtr& operation)
{
    const std::lock_guard lock(m_mutex);
    m_operations.push_back(operation);
    if (m_operations.size() <= kMaxRemembered)
        return;
    m_forgotten = m_operations.front()->started;
    m_operations.pop_front();
}

std::vector<OperationPtr> CommitWatch::remembered() const
{
    const std::lock_guard lock(m_mutex);
    return {m_operations.begin(), m_operations.end()};
}

bool CommitWatch::remembersAll() const
{
    const std::lock_guard lock(m_mutex);
    return !m_forgotten || (m_lostSince && *m_forgotten < *m_lostSince - std::chrono::seconds(60));
}

} // namespace tekil::payments
