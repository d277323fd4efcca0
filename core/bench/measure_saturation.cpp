// Where the engine saturates, what it refuses and how fast at twice that rate, and whether it recovers.
#include "core/bench/bench.h"
#include "core/bench/payment_writer.h"

namespace tekil::bench {

namespace {

constexpr std::int64_t kSeconds = 10;
constexpr std::size_t kConnections = 1'024;
constexpr std::size_t kOverloadConnections = 12'000; // more than the engine holds: it has to refuse

} // namespace

Result<void> measureSaturation(const Options& options, Report& report)
{
    auto site = openSite(options);
    if (!site)
        return site.error();
    if (const auto started = (*site)->startEngine(); !started)
        return started;
    const auto seconds = secondsOr(options, kSeconds);
    const std::size_t connections = options.connections > 0 ? options.connections : kConnections;
    PaymentWriter writer(**site);
    if (const auto warm = warmUp(**site, connections, writer); !warm)
        return warm;
    const auto full = pay(**site, {.to = {}, .connections = connections, .duration = seconds, .write = {}}, writer);
    if (!full)
        return full.error();
    const std::int64_t saturation = options.rate > 0 ? options.rate : perSecond(full->of(201), full->elapsed);
    if (saturation == 0)
        return Error{ErrorCode::Refused, "no payment was completed"};
    auto over = pay(**site,
                    {.to = {},
                     .connections = kOverloadConnections,
                     .ratePerSecond = 2 * saturation,
                     .duration = seconds,
                     .write = {}},
                    writer);
    if (!over)
        return over.error();
    if (const auto settled = (*site)->awaitNoBacklog(); !settled)
        report.refuse(settled.error().detail);
    auto after = pay(**site,
                     {.to = {},
                      .connections = connections,
                      .ratePerSecond = std::max<std::int64_t>(saturation / 2, 1),
                      .duration = seconds / 2 + std::chrono::seconds(1),
                      .write = {}},
                     writer);
    if (!after)
        return after.error();

    report.figure("saturation", "saturation: payments a second, closed loop", saturation, "/s");
    report.figure("offered", "then offered, open loop", 2 * saturation, "/s");
    const std::uint64_t accepted = over->of(201) + over->of(202);
    report.figure("accepted", "accepted (201, 202)", perSecond(accepted, over->elapsed), "/s");
    report.figure("refused", "refused with 503, before the claim", perSecond(over->of(503), over->elapsed), "/s");
    report.figure("unsent", "due, and every one of our connections was taken", static_cast<std::int64_t>(over->unsent));
    addStatuses(report, *over);
    std::vector<std::uint32_t> good = over->latenciesUs[201];
    good.insert(good.end(), over->latenciesUs[202].begin(), over->latenciesUs[202].end());
    addLatencies(report, "accepted", "accepted,", good);
    addLatencies(report, "refused", "refused,", over->latenciesUs[503]);
    report.figure("afterCompleted", "afterwards at half of it: completed", static_cast<std::int64_t>(after->of(201)));
    report.figure("afterOther", "afterwards at half of it: anything else",
                  static_cast<std::int64_t>(after->sent + after->unsent - after->of(201)));
    addLatencies(report, "after", "afterwards,", after->latenciesUs[201]);
    if (const auto described = (*site)->describe(report); !described)
        return described;
    return (*site)->judge(report);
}

} // namespace tekil::bench
