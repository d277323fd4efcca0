#include "core/bench/pgbench.h"

#include "core/base/clock.h"
#include "core/bench/steps.h"

#include <algorithm>
#include <charconv>
#include <fstream>

namespace tekil::bench {

namespace {

using namespace std::chrono_literals;

constexpr int kThreads = 2;
constexpr auto kSpare = 60s; // for connecting and for the last scripts
constexpr std::int64_t kInvoicesAMs = 1'000;

// The number after these words, in thousandths.
std::int64_t milliAfter(std::string_view output, std::string_view words)
{
    const std::size_t at = output.find(words);
    if (at == std::string_view::npos)
        return -1;
    std::string_view text = output.substr(at + words.size());
    std::int64_t whole = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
    if (error != std::errc())
        return -1;
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
    std::int64_t milli = 0;
    for (std::size_t i = 1; i <= 3; ++i) {
        const bool digit = text.starts_with('.') && i < text.size() && text[i] >= '0' && text[i] <= '9';
        milli = milli * 10 + (digit ? text[i] - '0' : 0);
        if (!digit)
            text = {};
    }
    return whole * 1000 + milli;
}

} // namespace

Result<PgbenchResult> runPgbench(const Site& site, const PgbenchRun& run)
{
    const auto file = site.scratch() / "script.sql";
    {
        std::ofstream out(file);
        out << run.script;
        if (!out.flush())
            return Error{ErrorCode::IoFailed, file.string() + " cannot be written"};
    }
    const Parties& parties = site.parties();
    std::vector<std::string> command{site.postgresProgram("pgbench").string(),
                                     "--no-vacuum",
                                     "--protocol=prepared",
                                     "--client=" + std::to_string(run.clients),
                                     "--jobs=" + std::to_string(std::min(run.clients, kThreads)),
                                     "--time=" + std::to_string(run.seconds),
                                     "--file=" + file.string()};
    for (const auto& [name, value] : {std::pair<std::string, std::string>("n", "0"),
                                      {"first_invoice", std::to_string(wallClockMs() * kInvoicesAMs)},
                                      {"accounts", std::to_string(site.options().accounts)},
                                      {"first_account", std::to_string(parties.firstAccount)},
                                      {"merchants", std::to_string(parties.apiKeys.size())},
                                      {"first_merchant", std::to_string(parties.firstMerchant)},
                                      {"first_collection", std::to_string(parties.firstCollection)},
                                      {"provider", std::to_string(parties.directProvider)},
                                      {"provider_name", parties.directProviderName},
                                      {"instance", Uuid::next().text()}})
        command.push_back("--define=" + name + "=" + value);
    command.push_back(site.engineDsn());
    auto child = Child::start(command, {"PGOPTIONS=" + laneOptions(), "LC_ALL=C"}, site.scratch() / "pgbench.log");
    if (!child)
        return child.error();
    std::string output;
    const auto code = (*child)->readToEnd(output, std::chrono::seconds(run.seconds) + kSpare);
    if (!code)
        return code.error();
    const std::int64_t transactions = milliAfter(output, "number of transactions actually processed: ");
    const std::int64_t tps = milliAfter(output, "\ntps = ");
    if (*code != 0 || transactions <= 0 || tps < 0)
        return Error{ErrorCode::StatementFailed, "pgbench failed: " + output};
    return PgbenchResult{.transactions = transactions / 1000, .milliTps = tps};
}

} // namespace tekil::bench
