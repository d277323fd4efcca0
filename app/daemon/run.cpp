#include "app/daemon/commands.h"

#include "core/base/fault.h"
#include "core/base/json.h"
#include "core/engine/engine.h"
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

} // namespace

int run(const TargetOptions& targetOptions, const RunOptions& options)
{
    if (options.demo && !targetOptions.dsn.empty())
        return fail(Error{ErrorCode::InvalidArgument, "--demo works in a local workspace only; leave --dsn out"});
    const char* const fault = std::getenv("TEKIL_FAULT");
    if (const auto armed = fault::arm(fault ? fault : ""); !armed)
        return fail(armed.error());
    if (fault::isArmed)
        spdlog::warn("TEKIL_FAULT is set: this engine will misbehave at {}; it is for tests only", fault);
    const sigset_t signals = blockEndSignals();
    auto target = Target::open(targetOptions);
    if (!target)
        return fail(target.error());
    auto engine = engine::Engine::start({.dsn = target->dsn("tekil_engine"),
                                         .listen = options.listen,
                                         .adminListen = options.adminListen,
                                         .program = "tekild",
                                         .roles = options.roles,
                                         .lease = options.lease});
    if (!engine)
        return fail(engine.error());
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

    int signal = 0;
    sigwait(&signals, &signal);
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
    if (const auto closed = target->close(); !closed)
        return fail(closed.error());
    return 0;
}

} // namespace tekil::daemon
