// tekil-bench's measurements by name. Each sets up what it needs, measures, checks that its figures hold, and takes
// down.
#pragma once

#include "core/bench/report.h"
#include "core/bench/site.h"

#include <span>

namespace tekil::bench {

struct Options {
    SiteOptions site;
    std::int64_t seconds = 0;     // 0: the measurement's own
    std::int64_t rate = 0;        // requests a second; 0: as fast as answers come
    std::size_t connections = 0;  // 0: the measurement's own
    std::int64_t payments = 0;    // 0: the measurement's own
    int rounds = 0;               // 0: the measurement's own; the best one counts
    int pgbenchClients = 32;
    std::string keys = "both";    // of `rows`: v7, v4, both
    bool hot = false;             // one account and one merchant
};

struct Measurement {
    std::string_view name;
    std::string_view what; // one line for --list
    Result<void> (*run)(const Options&, Report&);
    bool takesTargets; // whether it can measure what runs already
};

std::span<const Measurement> measurements();
const Measurement* findMeasurement(std::string_view name);

// The measurements.
Result<void> measureLife(const Options& options, Report& report);
Result<void> measureSustained(const Options& options, Report& report);
Result<void> measureIdle(const Options& options, Report& report);
Result<void> measureSaturation(const Options& options, Report& report);
Result<void> measureMemory(const Options& options, Report& report);
Result<void> measureLeases(const Options& options, Report& report);
Result<void> measureRows(const Options& options, Report& report);
Result<void> seedWorkspace(const Options& options, Report& report);

class PaymentWriter;

// What they share.
std::chrono::seconds secondsOr(const Options& options, std::int64_t otherwise);
Result<std::unique_ptr<Site>> openSite(const Options& options);
// Payments over HTTP by this plan, whose `write` and `to` are filled in here; and the same unmeasured, before it.
Result<LoadResult> pay(const Site& site, LoadPlan plan, PaymentWriter& writer);
Result<void> warmUp(const Site& site, std::size_t connections, PaymentWriter& writer);
void addLatencies(Report& report, const std::string& prefix, const std::string& label,
                  std::vector<std::uint32_t>& latenciesUs);
void addCpu(Report& report, const CpuUse& use, std::uint64_t payments);
void addStatuses(Report& report, const LoadResult& result);
std::int64_t perSecond(std::uint64_t count, std::chrono::nanoseconds time);

} // namespace tekil::bench
