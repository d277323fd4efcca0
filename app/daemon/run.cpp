#include "app/daemon/commands.h"

#include "core/base/fault.h"
#include "core/base/json.h"
#include "core/engine/engine.h"
#include "core/engine/server_keeper.h"
#include "core/recovery/left_behind.h"
#include "core/sandbox/demo.h"

#include <spdlog/spdlog.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace tekil::daemon {

namespace {

using namespace std::chrono_literals;

constexpr auto kDrainTime = 6s;
constexpr auto kEndTime = 9s; // the contract says that SIGTERM ends within 10 s

// Blocks the signals that end the program in this thread and all that it starts, so that sigwait gets them.
sigset_t blockEndSignals()
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    return signals;
}

engine::EngineOptions engineOptions(const RunOptions& options, std::string dsn)
{
    engine::EngineOptions made;
    made.dsn = std::move(dsn);
    made.listen = options.listen;
    made.adminListen = options.adminListen;
    made.program = "tekild";
    made.roles = options.roles;
    if (!options.tlsCertificate.empty())
        made.tls = http::TlsFiles{options.tlsCertificate, options.tlsKey};
    made.connections = options.maxConnections;
    made.connectionsPerAddress = options.maxConnectionsPerAddress;
    made.maxInFlight = options.maxInFlight;
    made.queueTarget = options.queueTarget;
    made.lease = options.lease;
    return made;
}

// The signal that ends the program. With TLS, SIGHUP is for a new certificate; without, a terminal that went away.
int waitForEnd(const sigset_t& signals, engine::Engine& engine, bool tls)
{
    int signal = 0;
    while (sigwait(&signals, &signal) == 0 && signal == SIGHUP && tls) {
        if (const auto read = engine.reloadTls(); !read)
            spdlog::error("the TLS files stay as they were read before: {}", read.error().detail);
        else
            spdlog::info("the TLS files were read again");
    }
    return signal;
}

void tellReady(const engine::Engine& engine, const std::string& dsn)
{
    std::printf("%s\n", JsonWriter()
                            .boolean("ready", true)
                            .member("http", engine.httpUrl())
                            .member("admin", engine.adminUrl())
                            .member("dsn", db::withoutPassword(dsn).text)
                            .member("instance", engine.instance().text())
                            .take()
                            .c_str());
    std::fflush(stdout);
}

// Says what recovery goes on with, where the end before was not in order.
void tellLeftBehind(const Target& target)
{
    std::vector<std::int64_t> living;
    if (const auto status = db::Workspace::status(target.workspace()->directory()))
        for (const db::WorkspaceUser& user : status->users)
            living.push_back(user.pid);
    auto connection = target.connectAsOwner();
    const auto left = connection ? recovery::findLeftBehind(*connection, living)
                                 : Result<recovery::LeftBehind>(connection.error());
    if (!left)
        spdlog::warn("what the last end has left could not be counted: {}", left.error().detail);
    else if (target.workspace()->report().uncleanEnd || !left->engines.empty())
        spdlog::warn("recovering after an unclean end: {}", left->text());
}

} // namespace

int run(const TargetOptions& targetOptions, const RunOptions& options)
{
    if (options.tlsCertificate.empty() != options.tlsKey.empty())
        return usage("--tls-certificate and --tls-key belong together");
    if (options.demo && !options.tlsCertificate.empty())
        return usage("--demo has a merchant of its own, without TLS; leave TLS out");
    if (options.demo && !targetOptions.dsn.empty())
        return usage("--demo works in a local workspace only; leave --dsn out");
    const char* const fault = std::getenv("TEKIL_FAULT");
    if (const auto armed = fault::arm(fault ? fault : ""); !armed)
        return usage(armed.error().detail);
    if (fault::isArmed)
        spdlog::warn("TEKIL_FAULT is set: this engine will misbehave at {}; it is for tests only", fault);
    const sigset_t signals = blockEndSignals();
    auto target = Target::open(targetOptions, Target::Missing::IsCreated);
    if (!target)
        return fail(target.error());
    std::unique_ptr<engine::ServerKeeper> keeper;
    if (target->workspace()) {
        keeper = std::make_unique<engine::ServerKeeper>(*target->workspace());
        tellLeftBehind(*target);
    }
    auto engine = engine::Engine::start(engineOptions(options, target->dsn("tekil_engine")));
    if (!engine)
        return engine.error().code == ErrorCode::InvalidArgument ? usage(engine.error().detail) : fail(engine.error());
    std::unique_ptr<sandbox::Demo> demo;
    if (options.demo) {
        auto started = sandbox::Demo::start({.ownerDsn = target->dsn("tekil_owner"),
                                             .engineUrl = (*engine)->httpUrl(),
                                             .directory = target->workspace()->directory()});
        if (!started)
            return fail(started.error());
        demo = *std::move(started);
        spdlog::info("demo: the simulated bank listens on {}; logins are in {}/demo-logins", demo->bankUrl(),
                     target->workspace()->directory().string());
    }
    tellReady(**engine, target->dsn("tekil_engine"));

    const int signal = waitForEnd(signals, **engine, !options.tlsCertificate.empty());
    spdlog::info("signal {}: ending what is in flight", signal);
    // A database that is silent may hold a thread for longer than is left. Nothing is lost by going: what is not ended
    // keeps its lease, and another engine goes on with it.
    std::thread([] {
        std::this_thread::sleep_for(kEndTime);
        spdlog::warn("something does not answer; leaving what is in flight to its leases");
        spdlog::shutdown();
        std::_Exit(0);
    }).detach();
    if (demo)
        demo->stopTraffic();
    (*engine)->drain(kDrainTime);
    engine->reset();
    demo.reset();
    keeper.reset();
    if (const auto closed = target->close(); !closed)
        return fail(closed.error());
    return 0;
}

} // namespace tekil::daemon
