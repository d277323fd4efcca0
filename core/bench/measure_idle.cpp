// One request at a time on an idle engine, the bank's time taken off, against its statements run one by one.
#include "core/bench/bench.h"
#include "core/bench/payment_writer.h"
#include "core/bench/steps.h"

#include <algorithm>

namespace tekil::bench {

namespace {

constexpr std::int64_t kPayments = 1'000;
constexpr int kRounds = 3;

std::int64_t median(std::vector<std::uint32_t>& times)
{
    return percentile(times, 500);
}

// How long the bank alone takes for a charge over a kept connection.
Result<std::int64_t> bankUs(Site& site, std::uint64_t count)
{
    LoadPlan plan{.to = site.bank(), .connections = 1, .atMost = count, .write = {}};
    plan.write = [](std::uint64_t, std::string& out) {
        const std::string id = Uuid::next().text();
        const std::string body = "{\"operationId\":\"" + id
                                 + "\",\"merchantReference\":\"bench\",\"amount\":\"123.45\",\"currency\":\"TRY\"}";
        out += "POST /charges HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nIdempotency-Key: " + id
               + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    };
    auto result = runLoad(plan);
    if (!result)
        return result.error();
    site.discountCharges(static_cast<std::int64_t>(result->of(201)));
    return median(result->latenciesUs[201]);
}

} // namespace

Result<void> measureIdle(const Options& options, Report& report)
{
    auto site = openSite(options);
    if (!site)
        return site.error();
    if (const auto started = (*site)->startEngine(); !started)
        return started;
    PaymentWriter writer(**site);
    if (const auto warm = warmUp(**site, 1, writer); !warm)
        return warm;
    auto steps = Steps::connect(**site);
    if (!steps)
        return steps.error();

    const auto count = static_cast<std::uint64_t>(options.payments > 0 ? options.payments : kPayments);
    const int rounds = options.rounds > 0 ? options.rounds : kRounds;
    std::vector<std::uint32_t> all;
    std::int64_t request = 0, bank = 0, statements = 0;
    for (int round = 0; round < rounds; ++round) {
        auto paid = pay(**site, {.to = {}, .connections = 1, .atMost = count, .write = {}}, writer);
        if (!paid)
            return paid.error();
        const auto charge = bankUs(**site, count);
        if (!charge)
            return charge.error();
        std::vector<std::uint32_t> times;
        for (std::uint64_t i = 0; i < count; ++i) {
            const auto time = steps->run();
            if (!time)
                return time.error();
            times.push_back(static_cast<std::uint32_t>(time->count() / 1000));
        }
        auto& latencies = paid->latenciesUs[201];
        all.insert(all.end(), latencies.begin(), latencies.end());
        const auto best = [round](std::int64_t& soFar, std::int64_t now) {
            soFar = round == 0 ? now : std::min(soFar, now);
        };
        best(request, median(latencies));
        best(bank, *charge);
        best(statements, median(times));
    }
    report.figure("requestMedian", "request to answer, median", fixed(request, 3), "ms");
    report.figure("bankMedian", "the bank alone, median", fixed(bank, 3), "ms");
    report.figure("statementsMedian", "the four statements one by one, median", fixed(statements, 3), "ms");
    report.figure("ratio", "request less bank, against the statements", ratio(request - bank, statements), "x");
    addLatencies(report, "latency", "request to 201,", all);
    report.circumstance("load-shape", "load",
                        "one connection, one request at a time; the best median of " + std::to_string(rounds)
                            + " rounds of " + std::to_string(count));
    if (const auto described = (*site)->describe(report); !described)
        return described;
    return (*site)->judge(report);
}

} // namespace tekil::bench
