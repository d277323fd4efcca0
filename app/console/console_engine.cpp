// One thread at a time: coming up, or going down. The window reads a copy of the status.
#include "app/console/console_engine.h"

#include "core/recovery/left_behind.h"

#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/spdlog.h>

#include <unistd.h>

#include <algorithm>
#include <utility>

namespace tekil::console {

using namespace std::chrono_literals;

namespace {

constexpr auto kDrainTime = 8s;
constexpr int kNiceness = 5; // the window comes first
constexpr std::size_t kSamples = 60;

// From here on the log is the workspace's own; what cannot be written there stays on stderr.
void logInto(const std::filesystem::path& directory)
{
    std::error_code failed;
    std::filesystem::create_directories(directory / "log", failed);
    try {
        auto logger = spdlog::rotating_logger_mt("tekil", (directory / "log" / "tekil.log").string(), 8 << 20, 4);
        logger->set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %l %v", spdlog::pattern_time_type::utc);
        logger->flush_on(spdlog::level::info);
        spdlog::set_default_logger(std::move(logger));
    } catch (const spdlog::spdlog_ex& error) {
        spdlog::warn("the log stays here: {}", error.what());
    }
}

ui::EngineStatus::Phase phaseOf(db::WorkspacePhase phase)
{
    switch (phase) {
    case db::WorkspacePhase::WaitingForAnother: return ui::EngineStatus::Phase::Waiting;
    case db::WorkspacePhase::Creating: return ui::EngineStatus::Phase::Creating;
    case db::WorkspacePhase::Starting:
    case db::WorkspacePhase::Recovering: return ui::EngineStatus::Phase::Starting;
    case db::WorkspacePhase::Restoring:
    case db::WorkspacePhase::BackingUp:
    case db::WorkspacePhase::Migrating: return ui::EngineStatus::Phase::Migrating;
    }
    return ui::EngineStatus::Phase::Starting;
}

} // namespace

ConsoleEngine::ConsoleEngine(std::filesystem::path directory, bool demo)
    : m_directory(std::move(directory)), m_demo(demo)
{
    connect(&m_second, &QTimer::timeout, this, &ConsoleEngine::count);
}

ConsoleEngine::~ConsoleEngine()
{
    if (m_thread.joinable())
        m_thread.join();
    bringDown();
}

void ConsoleEngine::start()
{
    m_second.start(1000);
    runOnThread(&ConsoleEngine::bringUp);
}

void ConsoleEngine::retry()
{
    if (status().phase != ui::EngineStatus::Phase::Failed || m_draining)
        return;
    set([](ui::EngineStatus& now) {
        now.phase = ui::EngineStatus::Phase::Starting;
        now.problem.clear();
    });
    runOnThread(&ConsoleEngine::bringUp);
}

void ConsoleEngine::drain()
{
    if (m_draining)
        return;
    m_draining = true;
    set([](ui::EngineStatus& now) { now.phase = ui::EngineStatus::Phase::Draining; });
    runOnThread(&ConsoleEngine::bringDown);
}

void ConsoleEngine::runOnThread(void (ConsoleEngine::*work)())
{
    // The next piece waits for the one before on the new thread, never on the window's.
    m_thread = std::thread([this, work, before = std::move(m_thread)]() mutable {
        if (before.joinable())
            before.join();
        (this->*work)();
    });
}

ui::EngineStatus ConsoleEngine::status() const
{
    const std::lock_guard lock(m_mutex);
    return m_status;
}

QString ConsoleEngine::directory() const
{
    return QString::fromStdString(m_directory.string());
}

void ConsoleEngine::set(const std::function<void(ui::EngineStatus&)>& change)
{
    {
        const std::lock_guard lock(m_mutex);
        change(m_status);
    }
    QMetaObject::invokeMethod(this, &EmbeddedEngine::changed, Qt::QueuedConnection);
}

void ConsoleEngine::fail(const Error& error)
{
    spdlog::error("{}: {}", nameOf(error.code), error.detail);
    set([&](ui::EngineStatus& now) {
        now.phase = ui::EngineStatus::Phase::Failed;
        now.problem = QString::fromStdString(error.detail);
    });
}

bool ConsoleEngine::openWorkspace()
{
    if (m_workspace)
        return true;
    db::WorkspaceOptions options;
    options.onPhase = [this](db::WorkspacePhase phase) {
        set([phase](ui::EngineStatus& now) { now.phase = phaseOf(phase); });
    };
    auto opened = db::Workspace::open(m_directory, options);
    if (!opened) {
        fail(opened.error());
        return false;
    }
    m_workspace.emplace(std::move(opened).value());
    logInto(m_workspace->directory());
    spdlog::info("tekil {} uses the workspace {}", TEKIL_VERSION, m_workspace->directory().string());
    m_keeper = std::make_unique<engine::ServerKeeper>(*m_workspace);
    const std::string dsn = m_workspace->dsn("nobody");
    const auto server = db::Connection::open(m_workspace->dsn("tekil_engine"), {.applicationName = "tekil start"});
    const int major = server ? server->serverVersion() / 10'000 : 0;
    set([&](ui::EngineStatus& now) {
        now.databaseReady = true;
        // The person's own login takes the place of the one in it.
        now.conninfo = QString::fromStdString(dsn);
        now.serverMajor = major;
        now.schemaVersion = m_workspace->report().migration.to;
    });
    countLeftBehind();
    return true;
}

// What the end before has left, where it was not in order: the window says that it is taken up again.
void ConsoleEngine::countLeftBehind()
{
    std::vector<std::int64_t> living;
    if (const auto status = db::Workspace::status(m_directory))
        for (const db::WorkspaceUser& user : status->users)
            living.push_back(user.pid);
    auto owner = db::Connection::open(m_workspace->dsn("tekil_owner"), {.applicationName = "tekil start"});
    const auto left = owner ? recovery::findLeftBehind(*owner, living) : Result<recovery::LeftBehind>(owner.error());
    if (!left) {
        spdlog::warn("what the last end has left could not be counted: {}", left.error().detail);
        return;
    }
    if (!m_workspace->report().uncleanEnd && left->engines.empty())
        return;
    spdlog::warn("recovering after an unclean end ({}): {}", m_workspace->report().uncleanWhat, left->text());
    set([&](ui::EngineStatus& now) {
        now.recovering = true;
        now.recoveringPayments = left->claimed + left->processing;
        now.recoveringUnknown = left->unknown;
    });
}

bool ConsoleEngine::isUsedByOthers() const
{
    if (m_workspace->report().started)
        return false;
    const auto status = db::Workspace::status(m_directory);
    return status && std::any_of(status->users.begin(), status->users.end(), [](const db::WorkspaceUser& user) {
               return user.pid != ::getpid();
           });
}

bool ConsoleEngine::startEngine()
{
    if (m_engine)
        return true;
    engine::EngineOptions options;
    options.dsn = m_workspace->dsn("tekil_engine");
    options.program = "tekil";
    options.niceness = kNiceness;
    auto started = engine::Engine::start(std::move(options));
    if (!started) {
        fail(started.error());
        return false;
    }
    const std::lock_guard lock(m_mutex);
    m_engine = std::move(started).value();
    return true;
}

bool ConsoleEngine::startDemo()
{
    if (!m_demo || m_demonstration)
        return true;
    auto started = sandbox::Demo::start({.ownerDsn = m_workspace->dsn("tekil_owner"),
                                         .engineUrl = m_engine->httpUrl(),
                                         .directory = m_workspace->directory()});
    if (!started) {
        fail(started.error());
        return false;
    }
    m_demonstration = std::move(started).value();
    return true;
}

void ConsoleEngine::bringUp()
{
    if (!openWorkspace())
        return;
    if (isUsedByOthers())
        return set([](ui::EngineStatus& now) { now.phase = ui::EngineStatus::Phase::Joined; });
    if (!startEngine() || !startDemo())
        return;
    const std::string url = m_engine->httpUrl();
    spdlog::info("the engine takes payments at {}", url);
    set([&](ui::EngineStatus& now) {
        now.phase = ui::EngineStatus::Phase::Running;
        now.httpUrl = QString::fromStdString(url);
    });
}

void ConsoleEngine::bringDown()
{
    if (m_demonstration)
        m_demonstration->stopTraffic();
    std::unique_ptr<engine::Engine> engine;
    {
        const std::lock_guard lock(m_mutex);
        engine = std::move(m_engine);
    }
    if (engine && !engine->drain(kDrainTime))
        spdlog::warn("some payments keep their lease; another engine goes on with them");
    engine.reset();
    m_demonstration.reset();
    m_keeper.reset();
    if (m_workspace) {
        if (const auto closed = m_workspace->close(); !closed)
            spdlog::error("the workspace was not left in order: {}", closed.error().detail);
        m_workspace.reset();
        spdlog::info("ended in order");
    }
    set([](ui::EngineStatus& now) {
        now.phase = ui::EngineStatus::Phase::Stopped;
        now.databaseReady = false;
    });
}

// Counts for the question at the end; the engine's own counters may be read from any thread.
void ConsoleEngine::count()
{
    const std::lock_guard lock(m_mutex);
    if (!m_engine)
        return;
    const engine::EngineCounts counts = m_engine->counts();
    m_requests.push_back(counts.requests);
    if (m_requests.size() > kSamples)
        m_requests.pop_front();
    m_status.inFlight = counts.inFlight;
    m_status.requestsLastMinute = counts.requests - m_requests.front();
}

} // namespace tekil::console
