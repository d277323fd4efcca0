#include "core/payments/lane.h"

#include "sql_queries.h"

#include <pthread.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <random>

namespace tekil::payments {

namespace {

constexpr std::chrono::milliseconds kFirstPause{5};
constexpr std::chrono::milliseconds kLongestPause{500};
// Tries in a row where somebody else is in the way: about two seconds of pauses for a row alone. A batch is halved
// sooner, so that a row that stays locked does not hold back the others.
constexpr int kMaxConflicts = 12;
constexpr int kMaxConflictsTogether = 3;

std::chrono::milliseconds jittered(std::chrono::milliseconds time)
{
    thread_local std::minstd_rand random(std::random_device{}());
    return std::chrono::milliseconds(time.count() / 2 + static_cast<std::int64_t>(random() % (time.count() / 2 + 1)));
}

} // namespace

void LaneCore::enterThread() const
{
    pthread_setname_np(pthread_self(), m_options.name.substr(0, 15).c_str());
    if (m_options.niceness != 0) // on Linux a thread's own
        setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), m_options.niceness);
}

Result<void> LaneCore::connect()
{
    if (m_connection && m_connection->healthy())
        return {};
    if (m_connection) {
        if (const auto again = m_connection->reconnect(); !again)
            return again.error();
        return {};
    }
    db::ConnectionSettings settings;
    settings.applicationName = "tekil " + m_options.name;
    settings.connectTimeoutSeconds = 3;
    settings.statementTimeoutMs
        = 5'000; // a batch takes milliseconds; a server that is silent for longer counts as away
    settings.lockTimeoutMs = 1'000;
    // Plans for arrays of any length, made once: the rows of a batch first, then what they need by key. What is worked
    // on is in memory, so that pages cost nothing and rows cost all; with the usual costs, a batch's look-ups seem
    // dearer than reading a young table whole.
    settings.extra = {{"plan_cache_mode", "force_generic_plan"},
                      {"seq_page_cost", "0"},
                      {"random_page_cost", "0"},
                      {"cpu_tuple_cost", "1"},
                      {"cpu_index_tuple_cost", "1"},
                      {"enable_seqscan", "off"},
                      {"enable_hashjoin", "off"},
                      {"enable_mergejoin", "off"},
                      {"jit", "off"}};
    auto opened = db::Connection::open(m_options.dsn, settings);
    if (!opened)
        return opened.error();
    m_connection.emplace(*std::move(opened));
    return {};
}

void LaneCore::pause(std::chrono::milliseconds time)
{
    const auto end = std::chrono::steady_clock::now() + jittered(time);
    while (!m_stopping && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(std::min<std::chrono::steady_clock::duration>(
            end - std::chrono::steady_clock::now(), std::chrono::milliseconds(20)));
}

void LaneCore::countCarried(std::size_t rows)
{
    m_carried += rows;
    if (m_carried < 2 * m_carriedAtPlan || !m_connection || !m_connection->healthy())
        return;
    m_carriedAtPlan = m_carried;
    if (const auto done = m_connection->run(sql::db::forgetPlans, {}, db::Mode::Reads); !done)
        spdlog::debug("{}: plans stay as they are: {}", m_options.name, done.error().detail);
}

Result<void> LaneCore::persist(const Attempt& attempt, std::size_t rows)
{
    const int maxConflicts = rows > 1 ? kMaxConflictsTogether : kMaxConflicts;
    std::chrono::milliseconds wait = kFirstPause;
    int conflicts = 0;
    while (true) {
        auto done = connect();
        m_connected = done.ok();
        if (done && m_unsettled && m_options.settle)
            done = m_options.settle(*m_connection);
        if (done) {
            m_unsettled = false;
            done = attempt(*m_connection);
        }
        if (done) {
            m_awaySince.reset();
            return done;
        }
        const ErrorCode code = done.error().code;
        const bool away = code == ErrorCode::DatabaseUnavailable || code == ErrorCode::CommitInDoubt;
        const auto now = std::chrono::steady_clock::now();
        if (away) {
            m_connected = false;
            m_unsettled = true;
            m_awaySince = m_awaySince.value_or(now);
        }
        const bool conflict = code == ErrorCode::SerializationFailed && ++conflicts <= maxConflicts;
        m_conflicts += code == ErrorCode::SerializationFailed ? 1 : 0;
        const bool patient = m_options.patience.count() == 0 || now - m_awaySince.value_or(now) < m_options.patience;
        if (m_stopping || !(conflict || (away && patient)))
            return done;
        if (away && wait == kFirstPause)
            spdlog::warn("{}: the database is away, trying again: {}", m_options.name, done.error().detail);
        pause(wait);
        wait = std::min(wait * 2, kLongestPause);
    }
}

} // namespace tekil::payments
