#include "core/engine/engine.h"

#include "core/base/clock.h"
#include "core/base/fault.h"
#include "core/base/json.h"
#include "core/db/migrator.h"
#include "core/engine/open_files.h"
#include "core/engine/upkeep.h"
#include "core/http/problem.h"
#include "core/http/server.h"
#include "core/payments/merchant_api.h"
#include "core/payments/retention.h"
#include "core/recovery/lost_commits.h"
#include "core/recovery/recovery.h"
#include "sql_queries.h"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>
#include <utility>

namespace tekil::engine {

namespace {

using namespace std::chrono_literals;

constexpr auto kHeartbeat = 1s;
constexpr auto kHeartbeatLimit = 4s;
constexpr int kBeatsToTell = 10;
constexpr std::size_t kOwnFiles = 512; // the database, providers, logs
constexpr auto kDoorbell = 150ms; // at most this often people's consoles are woken

// As many connections as files may be open, less those that the engine needs itself.
std::size_t roomFor(std::size_t connections)
{
    const std::size_t files = raiseOpenFiles();
    if (files >= connections + kOwnFiles)
        return connections;
    const std::size_t room = std::max(files, 2 * kOwnFiles) - kOwnFiles;
    spdlog::warn("only {} files may be open at once: at most {} connections are taken instead of {}; raise the limit "
                 "(ulimit -n, LimitNOFILE)",
                 files, room, connections);
    return room;
}

std::string hostName()
{
    char name[256] = {};
    gethostname(name, sizeof name - 1);
    return name;
}

} // namespace

struct Engine::Impl {
    Impl(EngineOptions given)
        : options(std::move(given)), loop({.name = "engine", .threads = 1, .niceness = options.niceness}),
          pipeline(loop, pipelineOptions()), api(pipeline), recovery(loop, pipeline, instance, options.lease),
          lostCommits(pipeline, instance), upkeep(loop, options.dsn, instance, options.niceness)
    {
        if (has("retention"))
            retention = std::make_unique<payments::Retention>(loop, options.dsn, options.niceness);
    }

    payments::PipelineOptions pipelineOptions() const;
    bool has(std::string_view role) const;
    // A frozen server raises no error: what counts is that something was written lately.
    bool databaseUp() const
    {
        return pipeline.databaseUp() && bootTime() - std::chrono::nanoseconds(heardAt) < kHeartbeatLimit;
    }
    std::vector<std::string> roles() const;
    Result<void> listen();
    Result<void> listenToMerchants();
    void registerInstance();
    void beat();
    Result<void> makeGood(db::Connection& connection);
    Result<void> tellProviders(db::Connection& connection);
    void tellRefusals();
    void ring();
    void tellDraining();
    void answerAdmin(const http::Request& request, const http::Responder& responder);
    std::string metrics() const;
    bool drain(std::chrono::milliseconds within);

    const EngineOptions options;
    const Uuid instance = Uuid::next();
    std::atomic<bool> drained = false;
    std::atomic<bool> registered = false;
    std::atomic<std::int64_t> heardAt = 0; // bootTime() of the last heartbeat that was written
    std::atomic<int> beats = 0;
    std::string toldRefusals;
    std::string toldStates; // of the chores' thread
    http::Loop loop;
    payments::Pipeline pipeline;
    payments::MerchantApi api;
    recovery::Recovery recovery;
    recovery::LostCommits lostCommits; // of the chores' thread
    Upkeep upkeep;
    std::unique_ptr<payments::Retention> retention;
    std::unique_ptr<http::Server> merchants;
    std::unique_ptr<http::Server> admin;
};

payments::PipelineOptions Engine::Impl::pipelineOptions() const
{
    payments::PipelineOptions made{.dsn = options.dsn,
                                   .instance = instance,
                                   .niceness = options.niceness,
                                   .lease = options.lease,
                                   .admission = {}};
    made.admission.maxInFlight = options.maxInFlight;
    made.admission.target = options.queueTarget;
    made.admission.burst = options.queueTarget * 2;
    made.admission.longest = options.queueTarget * 4;
    return made;
}

std::vector<std::string> Engine::Impl::roles() const
{
    std::vector<std::string> here; // of the roles that were asked for, those that this version has work for
    for (const char* role : {"api", "recovery", "retention"})
        if (has(role))
            here.emplace_back(role);
    return here;
}

bool Engine::Impl::has(std::string_view role) const
{
    return options.roles.empty() || std::find(options.roles.begin(), options.roles.end(), role) != options.roles.end();
}

Result<void> Engine::Impl::listen()
{
    if (has("api"))
        if (const auto listening = listenToMerchants(); !listening)
            return listening;
    auto started = http::Server::start(
        loop, {.listen = options.adminListen, .handler = [this](http::Request request, http::Responder responder) {
                   answerAdmin(request, responder);
               }});
    if (!started)
        return started.error();
    admin = *std::move(started);
    return {};
}

Result<void> Engine::Impl::listenToMerchants()
{
    http::ServerOptions serving;
    serving.listen = options.listen;
    serving.handler = [this](http::Request request, http::Responder responder) {
        api.handle(std::move(request), std::move(responder));
    };
    serving.limits.connections = roomFor(options.connections);
    serving.limits.connectionsPerAddress = options.connectionsPerAddress;
    serving.tls = options.tls;
    auto started = http::Server::start(loop, std::move(serving));
    if (!started)
        return started.error();
    merchants = *std::move(started);
    return {};
}

void Engine::Impl::registerInstance()
{
    const bool taken = pipeline.push(payments::Chore{
        [this](db::Connection& connection) -> Result<void> {
            db::Params params;
            params.add(instance).add(options.program).add(TEKIL_VERSION).add(hostName()).add(getpid()).add(roles());
            params.add(merchants ? std::optional(merchants->url()) : std::nullopt);
            const auto done = connection.run(sql::engine::registerInstance, params);
            registered = done.ok();
            if (!done)
                return done.error();
            heardAt = bootTime().count();
            pipeline.watch().registered(done->int64(0, 0), done->int64(0, 1));
            return {};
        },
        [](const Error& error) { spdlog::warn("the instance could not be registered: {}", error.detail); }});
    if (!taken)
        spdlog::warn("the instance could not be registered: too much waits");
}

// What was refused before a key was claimed leaves no row: it is counted, and told here when the counts have changed.
void Engine::Impl::tellRefusals()
{
    std::string text;
    for (const auto& [status, count] : api.answers())
        if (status >= 400)
            text += (text.empty() ? "" : ", ") + std::to_string(status) + ": " + std::to_string(count);
    if (text != toldRefusals)
        spdlog::info("refused since the start: {}", text);
    toldRefusals = text;
}

void Engine::Impl::beat()
{
    if (++beats % kBeatsToTell == 0)
        tellRefusals();
    if (!registered) {
        registerInstance();
    } else {
        [[maybe_unused]] const bool taken = pipeline.push(
            payments::Chore{[this](db::Connection& connection) -> Result<void> {
                if (const auto done = pipeline.watch().beat(connection); !done)
                    return done;
                heardAt = bootTime().count();
                return pipeline.halted() ? makeGood(connection) : tellProviders(connection);
            }});
    }
    loop.after(kHeartbeat, [this] { beat(); });
}

// Commits were lost. The instance's own row may be among them.
Result<void> Engine::Impl::makeGood(db::Connection& connection)
{
    registered = false;
    return lostCommits.step(connection);
}

Result<void> Engine::Impl::tellProviders(db::Connection& connection)
{
    std::vector<std::int64_t> ids;
    std::vector<std::string> breakers;
    std::vector<std::int32_t> inFlight, usual;
    std::string states;
    for (const payments::ProviderCondition& each : pipeline.providerConditions()) {
        ids.push_back(each.id);
        breakers.emplace_back(nameOf(each.breaker));
        inFlight.push_back(static_cast<std::int32_t>(each.inFlight));
        usual.push_back(static_cast<std::int32_t>(each.usual.count()));
        states += each.name + " " + breakers.back() + ", ";
    }
    // A change is told at once, figures now and then.
    if (ids.empty() || (states == toldStates && beats % kBeatsToTell != 0))
        return {};
    const auto done = connection.run(sql::engine::providerStates,
                                     db::Params().add(instance).add(ids).add(breakers).add(inFlight).add(usual));
    if (!done)
        return done.error();
    toldStates = std::move(states);
    return {};
}

void Engine::Impl::ring()
{
    if (pipeline.takeChanged()) {
        [[maybe_unused]] const bool taken = pipeline.push(
            payments::Chore{[](db::Connection& connection) -> Result<void> {
                const auto done = connection.run(sql::engine::doorbell, {}, db::Mode::Reads);
                return done ? Result<void>() : done.error();
            }});
    }
    loop.after(kDoorbell, [this] { ring(); });
}

std::string Engine::Impl::metrics() const
{
    const auto line = [](std::string_view name, std::string_view help, std::string_view type, std::int64_t value) {
        const std::string n = "tekil_" + std::string(name);
        return "# HELP " + n + " " + std::string(help) + "\n# TYPE " + n + " " + std::string(type) + "\n" + n + " "
               + std::to_string(value) + "\n";
    };
    std::string text = line("requests_total", "Requests to the merchant API.", "counter", api.requests())
                       + line("payments_ended_total", "Payments Completed or Failed by this engine.", "counter",
                              pipeline.ended())
                       + line("payments_in_flight", "Operations between their claim and their end.", "gauge",
                              pipeline.inFlight())
                       + line("overloaded", "Whether new payments are refused until the queues are shorter.", "gauge",
                              pipeline.overloaded() ? 1 : 0)
                       + line("queue_delay_milliseconds", "How long the oldest work waits for its step.", "gauge",
                              static_cast<std::uint64_t>(
                                  std::chrono::duration_cast<std::chrono::milliseconds>(pipeline.delay()).count()))
                       + line("database_conflicts_total",
                              "Batches tried again because somebody else held a row or the serialization failed.",
                              "counter", pipeline.conflicts())
                       + line("database_up", "Whether the database answers.", "gauge", databaseUp() ? 1 : 0)
                       + line("commits_lost", "Whether it stands still since the database lost commits.", "gauge",
                              pipeline.halted() ? 1 : 0);
    const http::ServerCounts door = merchants ? merchants->counts() : http::ServerCounts{};
    text += line("connections_open", "Connections of merchants now.", "gauge", door.open)
            + line("connections_total", "Connections of merchants.", "counter", door.accepted)
            + line("connections_cut_total", "Connections cut for being slow or idle.", "counter", door.timedOut)
            + line("connections_evicted_total", "Strangers' connections closed to make room.", "counter", door.evicted)
            + line("tls_handshakes_failed_total", "TLS handshakes that failed.", "counter", door.handshakesFailed);
    text += "# HELP tekil_provider_breaker A provider's circuit breaker: 0 closed, 1 open, 2 half-open.\n# TYPE "
            "tekil_provider_breaker gauge\n";
    for (const payments::ProviderCondition& each : pipeline.providerConditions())
        text += "tekil_provider_breaker{provider=\"" + each.name + "\"} "
                + std::to_string(static_cast<int>(each.breaker)) + "\n";
    text += "# HELP tekil_answers_total Answers of the merchant API by HTTP status.\n# TYPE tekil_answers_total "
            "counter\n";
    for (const auto& [status, count] : api.answers())
        text += "tekil_answers_total{status=\"" + std::to_string(status) + "\"} " + std::to_string(count) + "\n";
    return text;
}

void Engine::Impl::answerAdmin(const http::Request& request, const http::Responder& responder)
{
    if (request.method != "GET" && request.method != "HEAD") {
        responder.answer(http::problem(http::ProblemType::MethodNotAllowed, "allowed here: GET, HEAD",
                                       {.members = {}, .headers = {{"Allow", "GET, HEAD"}}}));
    } else if (request.path == "/healthz") {
        responder.answer(http::jsonResponse(200, "{\"status\":\"alive\"}"));
    } else if (request.path == "/readyz") {
        const bool ready = databaseUp() && !drained && !pipeline.halted();
        responder.answer(http::jsonResponse(ready ? 200 : 503, JsonWriter()
                                                                   .member("status", ready ? "ready" : "not ready")
                                                                   .boolean("database", databaseUp())
                                                                   .boolean("draining", drained)
                                                                   .boolean("commitsLost", pipeline.halted())
                                                                   .take()));
    } else if (request.path == "/metrics") {
        http::Response response{.status = 200, .headers = {}, .body = metrics()};
        response.headers.set("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
        responder.answer(std::move(response));
    } else {
        responder.answer(http::problemOf(Error{ErrorCode::NotFound, "this port has /healthz, /readyz and /metrics"}));
    }
}

void Engine::Impl::tellDraining()
{
    [[maybe_unused]] const bool taken = pipeline.push(
        payments::Chore{[this](db::Connection& connection) -> Result<void> {
            const auto done = connection.run(sql::engine::draining, db::Params().add(instance));
            return done ? Result<void>() : done.error();
        }});
}

bool Engine::Impl::drain(std::chrono::milliseconds within)
{
    if (drained.exchange(true))
        return true;
    const auto end = std::chrono::steady_clock::now() + within;
    api.drain();
    if (merchants)
        merchants->beginDrain();
    recovery.stop();
    tellDraining();
    fault::at(fault::Drain);
    const bool ended = pipeline.drain(within);
    if (!ended)
        spdlog::warn("{} payments are handed over: their leases end by themselves", pipeline.inFlight());
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    for (const auto& server : {merchants.get(), admin.get()})
        if (server)
            server->drain(std::max<std::chrono::milliseconds>(left, 100ms));
    std::atomic<bool> told = false;
    const bool taken = pipeline.push(payments::Chore{[this, &told](db::Connection& connection) -> Result<void> {
                                                         auto flushed = pipeline.flushEvents(connection);
                                                         const auto done = connection.run(sql::engine::end,
                                                                                          db::Params().add(instance));
                                                         told = true;
                                                         if (!flushed)
                                                             return flushed;
                                                         return done ? Result<void>() : done.error();
                                                     },
                                                     [&told](const Error&) { told = true; }});
    while (taken && !told && std::chrono::steady_clock::now() < end + 1s)
        std::this_thread::sleep_for(5ms);
    loop.stop();
    upkeep.stop();
    if (retention)
        retention->stop();
    pipeline.stop(); // after this nothing refers to `told`
    return ended;
}

Engine::Engine(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}

Engine::~Engine()
{
    drain(0ms);
}

Result<std::unique_ptr<Engine>> Engine::start(EngineOptions options)
{
    {
        auto connection = db::Connection::open(options.dsn, {.applicationName = "tekil start"});
        if (!connection)
            return connection.error();
        if (const auto safe = db::refuseUnsafeServer(*connection); !safe)
            return safe.error();
        const auto state = db::checkSchema(*connection, db::embeddedSchema());
        if (!state)
            return state.error();
        if (*state != db::SchemaState::Current)
            return Error{ErrorCode::SchemaMismatch,
                         *state == db::SchemaState::Newer
                             ? "the database is newer than this program; start the newer program"
                             : "the database is not at this program's schema; run: tekild migrate"};
    }
    auto impl = std::make_unique<Impl>(std::move(options));
    if (const auto listening = impl->listen(); !listening) {
        impl->drain(0ms);
        return listening.error();
    }
    impl->beat();
    impl->ring();
    impl->upkeep.start();
    if (impl->has("recovery"))
        impl->recovery.start();
    if (impl->retention)
        impl->retention->start();
    return std::unique_ptr<Engine>(new Engine(std::move(impl)));
}

std::string Engine::httpUrl() const
{
    return m_impl->merchants ? m_impl->merchants->url() : std::string();
}

std::string Engine::adminUrl() const
{
    return m_impl->admin->url();
}

Uuid Engine::instance() const
{
    return m_impl->instance;
}

EngineCounts Engine::counts() const
{
    return {.requests = m_impl->api.requests(),
            .ended = m_impl->pipeline.ended(),
            .inFlight = m_impl->pipeline.inFlight(),
            .databaseUp = m_impl->databaseUp()};
}

Result<void> Engine::reloadTls()
{
    return m_impl->merchants ? m_impl->merchants->reloadTls() : Result<void>();
}

bool Engine::drain(std::chrono::milliseconds within)
{
    return m_impl->drain(within);
}

} // namespace tekil::engine
