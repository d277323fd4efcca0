#include "core/bench/bench.h"

#include "core/bench/payment_writer.h"

#include <algorithm>
#include <array>

namespace tekil::bench {

namespace {

constexpr auto kWarmUp = std::chrono::milliseconds(1'500);

constexpr std::array kMeasurements{
    Measurement{"life", "a payment's whole life over HTTP, against the same rows written step by step by pgbench",
                measureLife, true},
    Measurement{"sustained", "payments a second over --seconds, all ended; with --rate an open loop with its latencies",
                measureSustained, true},
    Measurement{"idle", "one request at a time on an idle engine, against its statements run one by one", measureIdle,
                true},
    Measurement{"saturation", "the rate at which the engine saturates, and what it does at twice that",
                measureSaturation, true},
    Measurement{"memory", "what tekild takes with 10,000 payments in flight, and with 10,000 idle connections",
                measureMemory, false},
    Measurement{"leases", "100,000 expired leases: until acquired, until asked and ended", measureLeases, false},
    Measurement{"rows", "cost per payment at --payments rows against an empty table, v7 and v4 keys", measureRows,
                false},
    Measurement{"seed", "fills --workspace with --payments payments, for measurements of the console", seedWorkspace,
                false}};

} // namespace

std::span<const Measurement> measurements()
{
    return kMeasurements;
}

const Measurement* findMeasurement(std::string_view name)
{
    const auto found = std::find_if(kMeasurements.begin(), kMeasurements.end(),
                                    [name](const Measurement& measurement) { return measurement.name == name; });
    return found == kMeasurements.end() ? nullptr : &*found;
}

std::chrono::seconds secondsOr(const Options& options, std::int64_t otherwise)
{
    return std::chrono::seconds(options.seconds > 0 ? options.seconds : otherwise);
}

Result<std::unique_ptr<Site>> openSite(const Options& options)
{
    SiteOptions site = options.site;
    if (options.hot)
        site.accounts = site.merchants = 1;
    return Site::open(site);
}

Result<LoadResult> pay(const Site& site, LoadPlan plan, PaymentWriter& writer)
{
    plan.to = site.engine();
    plan.write = [&writer](std::uint64_t, std::string& out) { writer.write(out); };
    return runLoad(plan);
}

Result<void> warmUp(const Site& site, std::size_t connections, PaymentWriter& writer)
{
    const auto done = pay(site, {.to = {}, .connections = connections, .duration = kWarmUp, .write = {}}, writer);
    if (!done)
        return done.error();
    if (done->of(201) == 0)
        return Error{
            ErrorCode::Refused,
            "the engine completed no payment; its answers: "
                + (done->statuses.empty() ? std::string("none") : std::to_string(done->statuses.begin()->first))};
    return {};
}

void addLatencies(Report& report, const std::string& prefix, const std::string& label,
                  std::vector<std::uint32_t>& latenciesUs)
{
    for (const auto& [name, perMille] : {std::pair("P50", 500), {"P95", 950}, {"P99", 990}, {"Max", 1000}})
        report.figure(prefix + name, label + " " + name, fixed(percentile(latenciesUs, perMille), 3), "ms");
}

void addCpu(Report& report, const CpuUse& use, std::uint64_t payments)
{
    const auto line = [&](const std::string& name, const std::string& label, std::chrono::milliseconds time) {
        report.figure("cpu" + name, "CPU of " + label, fixed(time.count(), 3), "s");
        if (payments > 0)
            report.figure("cpu" + name + "Each", "  each payment",
                          time.count() * 1000 / static_cast<std::int64_t>(payments), "us");
    };
    line("Generator", "the generator", use.generator);
    line("Bank", "tekil-bank", use.bank);
    line("Engine", "tekild", use.engine);
    line("Postgres", "PostgreSQL", use.postgres);
}

void addStatuses(Report& report, const LoadResult& result)
{
    for (const auto& [status, count] : result.statuses)
        report.figure("status" + std::to_string(status), "answers " + std::to_string(status),
                      static_cast<std::int64_t>(count));
    report.figure("broken", "connections without an answer", static_cast<std::int64_t>(result.broken));
}

std::int64_t perSecond(std::uint64_t count, std::chrono::nanoseconds time)
{
    constexpr std::int64_t kMillion = 1'000'000;
    const std::int64_t us = time.count() / 1000;
    return us <= 0 ? 0 : static_cast<std::int64_t>(count) * kMillion / us;
}

} // namespace tekil::bench
