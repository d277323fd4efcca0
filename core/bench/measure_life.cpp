// The whole life of a payment over HTTP, against the same rows written with the same commits through pgbench.
#include "core/bench/bench.h"
#include "core/bench/payment_writer.h"
#include "core/bench/pgbench.h"
#include "core/bench/steps.h"
#include "sql_bench.h"

#include <algorithm>

namespace tekil::bench {

namespace {

constexpr std::int64_t kSeconds = 15;
constexpr std::size_t kConnections = 512;
constexpr int kRounds = 2;

} // namespace

Result<void> measureLife(const Options& options, Report& report)
{
    auto site = openSite(options);
    if (!site)
        return site.error();
    if (const auto started = (*site)->startEngine(); !started)
        return started;
    const std::size_t connections = options.connections > 0 ? options.connections : kConnections;
    const auto seconds = secondsOr(options, kSeconds);
    PaymentWriter writer(**site);
    if (const auto warm = warmUp(**site, connections, writer); !warm)
        return warm;

    std::int64_t http = 0;
    std::int64_t rows = 0;
    std::int64_t statements = 0;
    CpuUse use;
    std::uint64_t payments = 0;
    const int rounds = options.rounds > 0 ? options.rounds : kRounds;
    for (int round = 0; round < rounds; ++round) {
        const CpuUse before = (*site)->cpu();
        const auto paid = pay(**site, {.to = {}, .connections = connections, .duration = seconds, .write = {}}, writer);
        if (!paid)
            return paid.error();
        if (const std::int64_t rate = perSecond(paid->of(201), paid->elapsed); rate > http) {
            http = rate;
            use = (*site)->cpu().since(before);
            payments = paid->of(201);
        }
        for (const auto& [script, best] : {std::pair(std::string(sql::bench::life::byRows.text), &rows),
                                           std::pair(stepsScript(Uuid::next().text()), &statements)}) {
            const auto run = runPgbench(
                **site, {.script = script, .clients = options.pgbenchClients, .seconds = seconds.count()});
            if (!run)
                return run.error();
            *best = std::max(*best, run->milliTps / 1000);
        }
    }
    report.figure("httpPerSecond", "payments a second over HTTP, all ended", http, "/s");
    report.figure("rowsPerSecond", "the same rows by pgbench, row by row", rows, "/s");
    report.figure("statementsPerSecond", "the engine's own statements by pgbench, one payment each", statements, "/s");
    report.figure("ratio", "HTTP against the rows written step by step", ratio(http, rows), "x");
    report.figure("ratioStatements", "HTTP against the engine's statements one by one", ratio(http, statements), "x");
    addCpu(report, use, payments);
    report.circumstance("load-shape", "load",
                        "closed loop, " + std::to_string(connections) + " connections; pgbench with "
                            + std::to_string(options.pgbenchClients) + " clients, prepared; best of "
                            + std::to_string(rounds) + " rounds of " + std::to_string(seconds.count()) + " s");
    if (const auto described = (*site)->describe(report); !described)
        return described;
    return (*site)->judge(report);
}

} // namespace tekil::bench
