// What a payment costs when millions lie in the tables, against empty ones; keys sorted by time, and random ones
// beside.
#include "core/bench/bench.h"
#include "core/bench/interrupt.h"
#include "core/bench/seeding.h"
#include "core/ledger/accounts.h"
#include "sql_bench.h"
#include "sql_queries.h"

#include <algorithm>

namespace tekil::bench {

namespace {

constexpr std::int64_t kPayments = 1'000'000;
constexpr std::int64_t kSeconds = 10;
constexpr std::size_t kConnections = 512;
constexpr int kRounds = 3;

struct Cost {
    std::int64_t perSecond = 0;
    std::int64_t wallUs = 0; // of a payment, at that rate
    std::int64_t cpuUs = 0;  // of engine and PostgreSQL
};

Result<Cost> costOf(const Options& options, Site& site, PaymentWriter& writer)
{
    const std::size_t connections = options.connections > 0 ? options.connections : kConnections;
    Cost best;
    for (int round = 0; round < (options.rounds > 0 ? options.rounds : kRounds); ++round) {
        if (const auto warm = warmUp(site, connections, writer); !warm)
            return warm.error();
        const CpuUse before = site.cpu();
        const auto paid = pay(
            site, {.to = {}, .connections = connections, .duration = secondsOr(options, kSeconds), .write = {}},
            writer);
        if (!paid)
            return paid.error();
        const CpuUse use = site.cpu().since(before);
        const auto payments = static_cast<std::int64_t>(std::max<std::uint64_t>(paid->of(201), 1));
        const std::int64_t wall = paid->elapsed.count() / 1000 / payments;
        if (round > 0 && wall >= best.wallUs)
            continue;
        best = {.perSecond = perSecond(paid->of(201), paid->elapsed),
                .wallUs = wall,
                .cpuUs = (use.engine + use.postgres).count() * 1000 / payments};
    }
    return best;
}

void tell(Report& report, const std::string& prefix, const std::string& label, const Cost& cost)
{
    report.figure(prefix + "PerSecond", label + ": payments a second", cost.perSecond, "/s");
    report.figure(prefix + "Wall", label + ": time each", cost.wallUs, "us");
    report.figure(prefix + "Cpu", label + ": CPU each, tekild and PostgreSQL", cost.cpuUs, "us");
}

Result<void> measureKeys(const Options& options, Keys keys, Report& report)
{
    auto site = openSite(options);
    if (!site)
        return site.error();
    if (const auto started = (*site)->startEngine(); !started)
        return started;
    const std::string name = keys == Keys::V7 ? "v7" : "v4";
    PaymentWriter writer(**site, keys);
    const auto empty = costOf(options, **site, writer);
    if (!empty)
        return empty.error();
    const std::int64_t payments = options.payments > 0 ? options.payments : kPayments;
    const auto start = std::chrono::steady_clock::now();
    if (const auto seeded = seed(**site,
                                 {.payments = payments, .keys = keys, .provider = (*site)->parties().directProvider});
        !seeded)
        return seeded;
    const auto seeding = std::chrono::steady_clock::now() - start;
    const auto full = costOf(options, **site, writer);
    if (!full)
        return full.error();
    const auto sizes = (*site)->owner().run(sql::bench::figures::tables, {}, db::Mode::Reads);
    if (!sizes)
        return sizes.error();
    constexpr std::int64_t kMiB = 1024 * 1024;
    tell(report, name + "Empty", name + " keys, empty", *empty);
    tell(report, name + "Full", name + " keys, " + std::to_string(payments) + " rows", *full);
    report.figure(name + "Ratio", name + " keys, time each against empty", ratio(full->wallUs, empty->wallUs), "x");
    report.figure(name + "CpuRatio", name + " keys, CPU each against empty", ratio(full->cpuUs, empty->cpuUs), "x");
    report.figure(name + "TablesMiB", name + " keys, tables", sizes->int64(0, 0) / kMiB, "MiB");
    report.figure(name + "IndexesMiB", name + " keys, indexes", sizes->int64(0, 1) / kMiB, "MiB");
    report.figure(name + "SeedSeconds", name + " keys, seeding and vacuum", fixed(seeding.count() / 1'000'000, 3), "s");
    if (keys == Keys::V7 || options.keys == "v4")
        if (const auto described = (*site)->describe(report); !described)
            return described;
    Report own(name);
    if (const auto judged = (*site)->judge(own); !judged)
        return judged;
    if (own.refused())
        report.refuse(name + " keys: " + own.refusal());
    return {};
}

} // namespace

Result<void> measureRows(const Options& options, Report& report)
{
    for (const Keys keys : {Keys::V7, Keys::V4})
        if (options.keys == "both" || options.keys == (keys == Keys::V7 ? "v7" : "v4"))
            if (const auto measured = measureKeys(options, keys, report); !measured)
                return measured;
    return {};
}

Result<void> seedWorkspace(const Options& options, Report& report)
{
    Options own = options;
    own.site.bankRuns = false;
    auto site = openSite(own);
    if (!site)
        return site.error();
    const std::int64_t payments = options.payments > 0 ? options.payments : kPayments;
    const auto start = std::chrono::steady_clock::now();
    if (const auto seeded = seed(
            **site, {.payments = payments, .mode = "mixed", .provider = (*site)->parties().directProvider});
        !seeded)
        return seeded;
    const auto seeding = std::chrono::steady_clock::now() - start;
    const auto problems = runLong((*site)->owner(), sql::ledger::verify);
    if (!problems)
        return problems.error();
    for (int row = 0; row < problems->count(); ++row)
        if (!problems->isNull(row, 1))
            report.refuse("verify does not hold: " + std::string(problems->text(row, 1)) + ": "
                          + std::string(problems->text(row, 2)));
    report.figure("payments", "payments seeded", payments);
    report.figure("seconds", "seeding and vacuum", fixed(seeding.count() / 1'000'000, 3), "s");
    report.circumstance("workspace", "workspace", (*site)->workspaceDirectory().string());
    return (*site)->describe(report);
}

} // namespace tekil::bench
