// What tekild takes: idle, with many payments in flight at a slow bank, and with many idle connections.
#include "core/bench/bench.h"
#include "core/bench/interrupt.h"
#include "core/bench/machine.h"
#include "core/bench/payment_writer.h"

#include <algorithm>
#include <charconv>
#include <thread>

namespace tekil::bench {

namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kMany = 10'000;
constexpr std::size_t kConnections = 256;
constexpr auto kSlow = "20000"; // ms that the bank waits
constexpr auto kSettle = 3s;
constexpr std::int64_t kKiB = 1024;

std::int64_t inFlight(const Site& site)
{
    const std::string metrics = fetch(site.admin(), "/metrics");
    constexpr std::string_view kName = "\ntekil_payments_in_flight ";
    std::int64_t value = -1;
    if (const std::size_t at = metrics.find(kName); at != std::string::npos)
        std::from_chars(metrics.data() + at + kName.size(), metrics.data() + metrics.size(), value);
    return value;
}

std::string mib(std::int64_t kib)
{
    return fixed(kib * 10 / kKiB, 1);
}

Result<void> measureInFlight(Site& site, std::int64_t many, Report& report)
{
    if (const auto scripted = site.scriptBank(std::string("{\"rules\":[{\"do\":\"delay\",\"ms\":") + kSlow
                                              + ",\"at\":\"before\"}]}");
        !scripted)
        return scripted;
    PaymentWriter writer(site, Keys::V7, "respond-async");
    const auto sent = pay(
        site, {.to = {}, .connections = kConnections, .atMost = static_cast<std::uint64_t>(many), .write = {}}, writer);
    if (!sent)
        return sent.error();
    const std::int64_t now = inFlight(site);
    report.figure("inFlight", "payments in flight", now);
    report.figure("inFlightRss", "tekild with these in flight", mib(residentKiB(site.enginePid())), "MiB");
    report.figure("inFlightPeak", "tekild, its most so far", mib(peakResidentKiB(site.enginePid())), "MiB");
    addStatuses(report, *sent);
    if (now < many * 9 / 10)
        report.note("Fewer were in flight than asked for: the machine was too slow, or the engine refused.");
    return site.scriptBank("{}");
}

Result<void> measureIdleConnections(Site& site, std::int64_t many, Report& report)
{
    const std::int64_t before = residentKiB(site.enginePid());
    const IdleConnections idle(site.engine(), static_cast<std::size_t>(many));
    for (const auto until = std::chrono::steady_clock::now() + kSettle; std::chrono::steady_clock::now() < until;) {
        if (const auto on = goOn(); !on)
            return on;
        std::this_thread::sleep_for(50ms);
    }
    report.figure("idleRss", "tekild, just started", mib(before), "MiB");
    report.figure("idleConnections", "idle connections that it holds", static_cast<std::int64_t>(idle.open()));
    report.figure("idleConnectionsRss", "tekild with these", mib(residentKiB(site.enginePid())), "MiB");
    if (static_cast<std::int64_t>(idle.open()) < many)
        report.note("The server refuses connections above its limit with 503, so fewer than " + std::to_string(many)
                    + " were held.");
    return {};
}

} // namespace

Result<void> measureMemory(const Options& options, Report& report)
{
    auto site = openSite(options);
    if (!site)
        return site.error();
    if (const auto started = (*site)->startEngine(); !started)
        return started;
    const std::int64_t many = options.payments > 0 ? options.payments : kMany;
    if (const auto measured = measureIdleConnections(**site, many, report); !measured)
        return measured;
    (*site)->stopEngine(); // what was taken is not given back: each figure has a process of its own
    if (const auto started = (*site)->startEngine(); !started)
        return started;
    if (const auto measured = measureInFlight(**site, many, report); !measured)
        return measured;
    if (const auto described = (*site)->describe(report); !described)
        return described;
    return (*site)->judge(report);
}

} // namespace tekil::bench
