#include "core/recovery/lost_commits.h"

#include "core/base/json.h"
#include "sql_queries.h"

#include <spdlog/spdlog.h>

namespace tekil::recovery {

Result<void> LostCommits::raiseAlarm(db::Connection& connection)
{
    const std::string what = m_pipeline.watch().whatWasLost();
    db::Params params;
    params.add("commits_lost").addNull().add(what);
    params.add(JsonWriter()
                   .member("what", what)
                   .number("remembered", static_cast<std::int64_t>(m_pipeline.watch().remembered().size()))
                   .boolean("remembersAll", m_pipeline.watch().remembersAll())
                   .take());
    const auto opened = connection.run(sql::cases::open, params.add(m_instance));
    return opened ? Result<void>() : opened.error();
}

Result<void> LostCommits::step(db::Connection& connection)
{
    if (!m_pipeline.halted())
        return {};
    if (!m_isTold) {
        if (const auto told = raiseAlarm(connection); !told)
            return told;
        m_isTold = true;
    }
    if (!m_isRestored) {
        auto restored = m_pipeline.restoreLost(connection);
        if (!restored)
            return restored.error();
        m_toAsk = *std::move(restored);
        m_isRestored = true;
        if (!m_pipeline.watch().remembersAll())
            spdlog::critical(
                "more was lost than this engine remembers: it sends nothing any more; compare the provider's "
                "settlement with the payments, then start it again");
    }
    if (!m_pipeline.watch().remembersAll())
        return {};
    const auto unasked = connection.run(sql::recovery::countUnasked, db::Params().add(m_toAsk), db::Mode::Reads);
    if (!unasked)
        return unasked.error();
    if (unasked->int64(0, 0) > 0)
        return {};
    spdlog::critical("all {} payments that this engine remembers have been asked for; it goes on", m_toAsk.size());
    m_isTold = m_isRestored = false;
    m_toAsk.clear();
    m_pipeline.watch().recovered();
    return {};
}

} // namespace tekil::recovery
