// What an engine left behind when it died while it sent: until another one has taken it over, asked and ended it.
#include "core/bench/bench.h"
#include "core/bench/seeding.h"
#include "sql_bench.h"

namespace tekil::bench {

namespace {

constexpr std::int64_t kLeases = 100'000;
constexpr std::size_t kConnections = 64;
constexpr std::int64_t kLimitSeconds = 900;

// The bank had booked every one of these charges when the engine died.
Result<void> bookCharges(Site& site)
{
    const auto charges = site.owner().run(sql::bench::seed::charges, {}, db::Mode::Reads);
    if (!charges)
        return charges.error();
    LoadPlan plan{.to = site.bank(),
                  .connections = kConnections,
                  .atMost = static_cast<std::uint64_t>(charges->count()),
                  .write = {}};
    plan.write = [&charges](std::uint64_t number, std::string& out) {
        const int row = static_cast<int>(number);
        out += "POST /charges HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nIdempotency-Key: ";
        out += charges->text(row, 0);
        out += "\r\nContent-Length: " + std::to_string(charges->text(row, 1).size()) + "\r\n\r\n";
        out += charges->text(row, 1);
    };
    const auto booked = runLoad(plan);
    if (!booked)
        return booked.error();
    if (booked->of(201) != static_cast<std::uint64_t>(charges->count()))
        return Error{ErrorCode::IoFailed, "the bank did not book every charge of the seed"};
    return {};
}

} // namespace

Result<void> measureLeases(const Options& options, Report& report)
{
    auto site = openSite(options);
    if (!site)
        return site.error();
    const std::int64_t leases = options.payments > 0 ? options.payments : kLeases;
    if (const auto seeded = seed(**site, {.payments = leases, .mode = "open", .provider = (*site)->parties().provider});
        !seeded)
        return seeded;
    if (const auto booked = bookCharges(**site); !booked)
        return booked;
    const CpuUse before = (*site)->cpu();
    if (const auto started = (*site)->startEngine(); !started)
        return started;
    const auto limit = secondsOr(options, kLimitSeconds);
    const auto ended = (*site)->awaitNoBacklog(limit);
    const CpuUse use = (*site)->cpu().since(before);
    const auto times = (*site)->owner().run(sql::bench::figures::recovery, {}, db::Mode::Reads);
    if (!times)
        return times.error();
    report.figure("leases", "expired leases", leases);
    report.figure("acquired", "taken over", times->int64(0, 0));
    report.figure("ended", "of these ended", times->int64(0, 3));
    report.figure("acquiredSeconds", "until the last was taken over",
                  fixed(times->optionalInt64(0, 1).value_or(0) / 1000, 3), "s");
    report.figure("endedSeconds", "until the last was asked and ended",
                  fixed(times->optionalInt64(0, 2).value_or(0) / 1000, 3), "s");
    addCpu(report, use, static_cast<std::uint64_t>(leases));
    if (!ended && ended.error().code != ErrorCode::Refused)
        return ended.error();
    if (!ended)
        report.refuse(std::to_string(times->int64(0, 0)) + " leases were taken over and "
                      + std::to_string(times->int64(0, 3)) + " payments ended within " + std::to_string(limit.count())
                      + " s; " + ended.error().detail);
    if (const auto described = (*site)->describe(report); !described)
        return described;
    return (*site)->judge(report);
}

} // namespace tekil::bench
