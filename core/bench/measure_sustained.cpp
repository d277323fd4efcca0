// Payments a second over a long time; with a rate an open loop, whose latencies count from the scheduled instant.
#include "core/bench/bench.h"
#include "core/bench/payment_writer.h"
#include "sql_bench.h"

#include <thread>

namespace tekil::bench {

namespace {

constexpr std::int64_t kSeconds = 60;
constexpr std::size_t kConnections = 512;
constexpr std::size_t kOpenLoopConnections = 2'048; // more than are under way at once, while the engine keeps up

// A CHECKPOINT in the middle, on a thread and a connection of its own.
class Checkpoint {
public:
    explicit Checkpoint(std::string dsn) : m_dsn(std::move(dsn)) {}
    ~Checkpoint() { end(); }
    Checkpoint(const Checkpoint&) = delete;
    Checkpoint& operator=(const Checkpoint&) = delete;

    void begin()
    {
        m_thread = std::thread([this] {
            auto connection = db::Connection::open(
                m_dsn, {.applicationName = "tekil-bench checkpoint", .statementTimeoutMs = 0});
            if (!connection) {
                m_why = connection.error().detail;
                return;
            }
            const auto done = connection->run(sql::bench::site::checkpoint);
            m_why = done ? "" : done.error().detail;
        });
    }
    // Whether there was one; else why not.
    std::string end()
    {
        if (m_thread.joinable())
            m_thread.join();
        return m_why;
    }

private:
    std::string m_dsn;
    std::string m_why = "the time was too short";
    std::thread m_thread;
};

} // namespace

Result<void> measureSustained(const Options& options, Report& report)
{
    auto site = openSite(options);
    if (!site)
        return site.error();
    if (const auto started = (*site)->startEngine(); !started)
        return started;
    const std::size_t connections = options.connections > 0 ? options.connections
                                    : options.rate > 0      ? kOpenLoopConnections
                                                            : kConnections;
    PaymentWriter writer(**site);
    if (const auto warm = warmUp(**site, std::min(connections, kConnections), writer); !warm)
        return warm;

    Checkpoint checkpoint((*site)->adminDsn());
    LoadPlan plan{.to = {},
                  .connections = connections,
                  .ratePerSecond = options.rate,
                  .duration = secondsOr(options, kSeconds),
                  .write = {},
                  .halfway = [&checkpoint] { checkpoint.begin(); }};
    const CpuUse before = (*site)->cpu();
    const auto start = std::chrono::steady_clock::now();
    auto result = pay(**site, plan, writer);
    if (!result)
        return result.error();
    const auto settled = (*site)->awaitNoBacklog();
    const auto elapsed = std::chrono::steady_clock::now() - start;
    const CpuUse use = (*site)->cpu().since(before);
    const std::string withoutCheckpoint = checkpoint.end();
    if (!settled)
        report.refuse(settled.error().detail);

    const std::uint64_t payments = result->of(201);
    report.figure("payments", "payments", static_cast<std::int64_t>(payments));
    report.figure("paymentsPerSecond", "payments a second, until all had ended", perSecond(payments, elapsed), "/s");
    if (options.rate > 0) {
        report.figure("rate", "requests a second, by schedule", options.rate, "/s");
        report.figure("unsent", "requests that were due and found no connection",
                      static_cast<std::int64_t>(result->unsent));
    }
    addStatuses(report, *result);
    addLatencies(report, "latency", "request to 201,", result->latenciesUs[201]);
    addCpu(report, use, payments);
    report.circumstance("load-shape", "load",
                        (options.rate > 0 ? "open loop, at most " : "closed loop, ") + std::to_string(connections)
                            + " connections, " + std::to_string((*site)->options().accounts) + " accounts of "
                            + std::to_string((*site)->parties().apiKeys.size()) + " merchants");
    report.circumstance("checkpoint", "checkpoint in the middle",
                        withoutCheckpoint.empty() ? "yes" : "no: " + withoutCheckpoint);
    if (const auto described = (*site)->describe(report); !described)
        return described;
    return (*site)->judge(report);
}

} // namespace tekil::bench
