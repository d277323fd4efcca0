// tekil-bench: load and measurements. It starts what it measures in a throw-away workspace, or measures what runs.
#include "core/bench/bench.h"
#include "core/bench/interrupt.h"
#include "core/bench/machine.h"

#include <CLI/CLI.hpp>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <clocale>
#include <cstdio>

namespace {

using namespace tekil;
using namespace tekil::bench;

constexpr int kFailed = 1;
constexpr int kUsage = 2;

void addTargets(CLI::App& app, Options& options)
{
    CLI::Option* dsn = app.add_option("--dsn", options.site.dsn,
                                      "Measure what runs already: its database as the owner (libpq's conninfo) …");
    CLI::Option* http = app.add_option("--http", options.site.http, "… its engine's URL on this machine …");
    CLI::Option* bank = app.add_option("--bank", options.site.bank, "… and the URL of a tekil-bank for it");
    dsn->needs(http)->needs(bank);
    http->needs(dsn);
    bank->needs(dsn);
}

void addLoad(CLI::App& app, Options& options)
{
    app.add_option("--seconds", options.seconds, "How long each part is measured")->check(CLI::Range(1, 3600));
    app.add_option("--connections", options.connections, "Connections of the load generator")
        ->check(CLI::Range(1, 15000));
    app.add_option("--payments", options.payments, "How many: of idle, memory, leases, rows and seed")
        ->check(CLI::Range(1, 50'000'000));
    app.add_option("--rounds", options.rounds, "How often it is measured; the best one counts")
        ->check(CLI::Range(1, 100));
    app.add_option("--accounts", options.site.accounts, "Payers' accounts, so that no row is hot")
        ->check(CLI::Range(1, 100'000))
        ->capture_default_str();
    app.add_option("--merchants", options.site.merchants, "Merchants that these accounts are dealt out to")
        ->check(CLI::Range(1, 10'000))
        ->capture_default_str();
    app.add_option("--patience", options.site.patience, "Seconds that payments may take to end after the load")
        ->check(CLI::Range(1, 3600))
        ->capture_default_str();
    app.add_flag("--hot", options.hot, "One account of one merchant instead");
}

// What a measurement has of its own.
void addOwn(CLI::App& command, std::string_view name, Options& options)
{
    if (name == "sustained" || name == "saturation")
        command
            .add_option("--rate", options.rate,
                        name == "sustained" ? "Requests a second, each at its instant (open loop)"
                                            : "The saturation rate, where it is known")
            ->check(CLI::Range(1, 100'000));
    if (name == "life")
        command.add_option("--pgbench-clients", options.pgbenchClients, "Clients of pgbench")
            ->check(CLI::Range(1, 90))
            ->capture_default_str();
    if (name == "rows")
        command.add_option("--keys", options.keys, "Idempotency keys: sorted by time (v7), random (v4), or both")
            ->check(CLI::IsMember({"v7", "v4", "both"}))
            ->capture_default_str();
    if (name == "seed")
        command.add_option("--workspace", options.site.keep, "The workspace to fill; made where there is none")
            ->required();
}

int run(const Measurement& measurement, const Options& options, bool json)
{
    catchInterrupts();
    raiseOpenFiles();
    Report report{std::string(measurement.name)};
    report.circumstance("loadBefore", "load average before", loadAverage());
    if (const auto done = measurement.run(options, report); !done) {
        spdlog::error("{}", done.error().detail);
        return done.error().code == ErrorCode::InvalidArgument ? kUsage : kFailed;
    }
    std::printf("%s%s", (json ? report.json() : report.table()).c_str(), json ? "\n" : "");
    if (report.refused())
        spdlog::error("no figures: {}", report.refusal());
    return report.refused() ? kFailed : 0;
}

} // namespace

int main(int argc, char** argv)
{
    std::setlocale(LC_ALL, "C");
    auto logger = spdlog::stderr_color_mt("tekil-bench");
    logger->set_level(spdlog::level::warn);
    spdlog::set_default_logger(std::move(logger));

    Options options;
    bool json = false;
    bool list = false;
    CLI::App app{
        "Measures Tekil, in a throw-away workspace with a real tekild, tekil-bank and PostgreSQL of its own, or "
        "what --dsn, --http and --bank name.\nNo figure is told unless every payment has ended, `verify` holds "
        "and the bank booked each once.",
        "tekil-bench"};
    app.set_version_flag("--version", TEKIL_VERSION);
    app.add_flag("--list", list, "Names the measurements");
    app.add_flag("--json", json, "One JSON object instead of a table");
    app.add_option("--directory", options.site.directory,
                   "Where the throw-away workspace is made: on the disk to measure")
        ->check(CLI::ExistingDirectory)
        ->capture_default_str();
    addTargets(app, options);
    addLoad(app, options);
    app.require_subcommand(0, 1);
    for (const Measurement& measurement : measurements()) {
        CLI::App* command = app.add_subcommand(std::string(measurement.name), std::string(measurement.what));
        command->fallthrough();
        addOwn(*command, measurement.name, options);
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : kUsage;
    }
    if (list) {
        for (const Measurement& measurement : measurements())
            std::printf("%-12s%s\n", std::string(measurement.name).c_str(), std::string(measurement.what).c_str());
        return 0;
    }
    const auto chosen = app.get_subcommands();
    if (chosen.empty()) {
        std::fprintf(stderr, "name a measurement; tekil-bench --list names them all\n");
        return kUsage;
    }
    const Measurement& measurement = *findMeasurement(chosen.front()->get_name());
    if (!options.site.dsn.empty() && !measurement.takesTargets) {
        std::fprintf(stderr, "%s fills its database and measures in a workspace of its own only; leave --dsn out\n",
                     std::string(measurement.name).c_str());
        return kUsage;
    }
    return run(measurement, options, json);
}
