// tekild: the engine without a window, and the commands of whoever runs it.
#include "app/daemon/commands.h"
#include "app/daemon/config.h"
#include "core/base/json.h"

#include <CLI/CLI.hpp>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <charconv>
#include <clocale>
#include <csignal>
#include <functional>
#include <limits>
#include <memory>

namespace {

using namespace tekil;
using namespace tekil::daemon;

struct Options {
    TargetOptions target;
    RunOptions run;
    AdminOptions admin;
    std::string configFile, file;
    bool replace = false;
    bool json = false;
    bool logJson = false;
};
using Command = std::function<int()>;

// %* in a pattern: the line's text as a JSON string with its quotes.
class JsonText : public spdlog::custom_flag_formatter {
public:
    void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& out) override
    {
        const std::string text = quoteJson({message.payload.data(), message.payload.size()});
        out.append(text.data(), text.data() + text.size());
    }
    std::unique_ptr<spdlog::custom_flag_formatter> clone() const override { return std::make_unique<JsonText>(); }
};

void setUpLog(bool json)
{
    auto logger = spdlog::stderr_logger_mt("tekild");
    auto formatter = std::make_unique<spdlog::pattern_formatter>(spdlog::pattern_time_type::utc);
    formatter->add_flag<JsonText>('*').set_pattern(
        json ? R"({"at":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l","pid":%P,"text":%*})" : "%Y-%m-%dT%H:%M:%S.%eZ %^%l%$ %v");
    logger->set_formatter(std::move(formatter));
    spdlog::set_default_logger(std::move(logger));
}

void addRun(CLI::App& app, Options& options, Command& chosen)
{
    CLI::App* run = app.add_subcommand(
        "run", "Serves payments until SIGTERM or SIGINT; creates its workspace where there is none.");
    run->add_option("--listen", options.run.listen, "Address of the merchant API; port 0 takes any free one")
        ->capture_default_str();
    run->add_option("--admin-listen", options.run.adminListen, "Address of /healthz, /readyz and /metrics")
        ->capture_default_str();
    run->add_option("--roles", options.run.roles, "What this instance does, separated by commas; all by default")
        ->delimiter(',')
        ->check(CLI::IsMember(std::vector<std::string>(kRoles.begin(), kRoles.end())));
    run->add_option("--config", options.configFile, "A TOML file with the same options; the command line wins")
        ->check(CLI::ExistingFile);
    run->add_option(
        "--tls-certificate", options.run.tlsCertificate,
        "Serves merchants over HTTPS: a PEM file with the certificate and its chain; SIGHUP reads it again");
    run->add_option("--tls-key", options.run.tlsKey, "The certificate's key, a PEM file");
    run->add_flag("--demo", options.run.demo, "Adds a simulated bank with faults, merchants, people and live traffic");
    run->callback([run, &options, &chosen] {
        chosen = [run, &options] {
            if (!options.configFile.empty()) {
                const auto given = [run](const char* name) { return run->count(name) > 0; };
                if (const auto read = readConfig(options.configFile, given, options.target, options.run); !read)
                    return usage(read.error().detail);
            }
            return daemon::run(options.target, options.run);
        };
    });
}

void addWorkspace(CLI::App& app, Options& options, Command& chosen)
{
    CLI::App* workspace = app.add_subcommand("workspace", "Looks after a local workspace.");
    workspace->require_subcommand(1);
    workspace->add_subcommand("status", "Tells its state, versions, size, users, socket and last unclean end.")
        ->callback(
            [&options, &chosen] { chosen = [&options] { return workspaceStatus(options.target, options.json); }; });
    workspace->add_subcommand("stop", "Stops its server where nobody uses it.")->callback([&options, &chosen] {
        chosen = [&options] { return workspaceStop(options.target, options.json); };
    });
    CLI::App* backup = workspace->add_subcommand("backup", "Writes its database into a new file; it may be in use.");
    backup->add_option("FILE", options.file, "The file to write; it must not exist")->required();
    backup->callback([&options, &chosen] {
        chosen = [&options] { return workspaceBackup(options.target, options.file, options.json); };
    });
    CLI::App* restore = workspace->add_subcommand(
        "restore", "Brings a backup back as a new workspace. Charges made after the backup are not in it:\n"
                   "compare with your providers before merchants send again.");
    restore->add_option("FILE", options.file, "A file that workspace backup wrote")->required();
    restore->add_flag("--replace", options.replace,
                      "In place of the workspace that is there; its data is set aside as DIR/before-restore-…");
    restore->callback([&options, &chosen] {
        chosen = [&options] { return workspaceRestore(options.target, options.file, options.replace, options.json); };
    });
}

// A whole number that fits: what is too large is an error, not the largest there is.
std::string checkNumber(const std::string& text)
{
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size() && value > 0)
        return {};
    return "\"" + text + "\" is no whole number from 1 to " + std::to_string(std::numeric_limits<std::int64_t>::max());
}

using AdminCommand = int (*)(const TargetOptions&, const AdminOptions&, bool);

void choose(CLI::App* command, AdminCommand run, Options& options, Command& chosen)
{
    command->callback([run, &options, &chosen] {
        chosen = [run, &options] { return run(options.target, options.admin, options.json); };
    });
}

void addAccounts(CLI::App& admin, Options& options, Command& chosen)
{
    AdminOptions& o = options.admin;
    CLI::App* account = admin.add_subcommand("account", "Accounts of customers and merchants.")->require_subcommand(1);
    CLI::App* open = account->add_subcommand("open", "Opens an account.");
    open->add_option("--currency", o.currency, "ISO 4217 code, such as TRY")->required();
    open->add_option("--owner", o.owner, "Whose it is, in words");
    open->add_option("--kind", o.kind, "customer or merchant; system accounts open themselves")->capture_default_str();
    choose(open, daemon::openAccount, options, chosen);
    CLI::App* credit = account->add_subcommand("credit", "Credits an account from funding, once for each id.");
    credit->add_option("--account", o.account, "The account's number")->required()->check(checkNumber);
    credit->add_option("--amount", o.amount, "Major units of the account's currency, such as 2000.00")->required();
    credit->add_option("--id", o.id, "A UUID of your own; the same id again changes nothing")->required();
    choose(credit, daemon::creditAccount, options, chosen);
}

void addParties(CLI::App& admin, Options& options, Command& chosen)
{
    AdminOptions& o = options.admin;
    CLI::App* provider = admin.add_subcommand("provider", "Payment providers.")->require_subcommand(1);
    CLI::App* addP = provider->add_subcommand("add", "Adds a provider.");
    addP->add_option("--name", o.name, "Its name here: a-z, 0-9, _ and -")->required();
    addP->add_option("--url", o.url, "Its base URL; https:// in earnest")->required();
    addP->add_option("--capability", o.capability, "What it can do")
        ->required()
        ->check(CLI::IsMember({"idempotent,inquiry", "inquiry,idempotent", "idempotent", "inquiry", "none"}));
    addP->add_option("--timeout", o.timeout, "How long to wait for its answer")->capture_default_str();
    addP->add_option("--key-window", o.keyWindow, "How long it remembers a key")->capture_default_str();
    addP->add_option("--inquiry-grace", o.inquiryGrace, "How long a charge may take to be found")
        ->capture_default_str();
    addP->add_flag("--not-found-final", o.notFoundFinal, "Its \"not found\" after the grace is a guarantee");
    choose(addP, daemon::addProvider, options, chosen);

    CLI::App* merchant = admin.add_subcommand("merchant", "Merchants and what they may debit.")->require_subcommand(1);
    CLI::App* addM = merchant->add_subcommand("add", "Adds a merchant and tells its API key, once.");
    addM->add_option("--name", o.name, "Its name here: a-z, 0-9, _ and -")->required();
    addM->add_option("--default-account", o.account, "The payer's account where a request names none")
        ->required()
        ->check(checkNumber);
    addM->add_option("--provider", o.provider, "The provider where a request names none")->required();
    addM->add_option("--limit", o.limit, "The most one payment may be, in major units");
    addM->add_option("--rate", o.rate, "The most requests a second")->check(checkNumber);
    choose(addM, daemon::addMerchant, options, chosen);
    CLI::App* grant = merchant->add_subcommand("grant", "Lets a merchant debit one more account.");
    grant->add_option("--name", o.name, "The merchant")->required();
    grant->add_option("--account", o.account, "The account's number")->required()->check(checkNumber);
    choose(grant, daemon::grantAccount, options, chosen);

    CLI::App* people = admin.add_subcommand("operator", "The people at the console.")->require_subcommand(1);
    CLI::App* addO = people->add_subcommand("add",
                                            "Makes a login; without a password file its password is told, once.");
    addO->add_option("--login", o.login, "a-z, 0-9 and _")->required();
    addO->add_option("--role", o.role, "What the person is")
        ->required()
        ->check(CLI::IsMember({"support", "operations", "finance", "auditor", "admin"}));
    addO->add_option("--password-file", o.passwordFile, "A file whose first line is the password")
        ->check(CLI::ExistingFile);
    choose(addO, daemon::addOperator, options, chosen);
}

} // namespace

int main(int argc, char** argv)
{
    std::setlocale(LC_ALL, "C"); // nothing that this program reads or writes is for a person's locale
    std::signal(SIGPIPE, SIG_IGN);

    Options options;
    Command chosen;
    CLI::App app{"Tekil's engine: makes each payment take financial effect exactly once.", "tekild"};
    app.set_version_flag("--version", TEKIL_VERSION);
    app.require_subcommand(1);
    app.fallthrough();
    CLI::Option* workspace
        = app.add_option("--workspace", options.target.workspace,
                         "The local workspace's directory. Only run, workspace restore and the console create one")
              ->type_name("DIR");
    app.add_option("--dsn", options.target.dsn, "A database instead, as libpq's conninfo or service=NAME")
        ->type_name("CONNINFO")
        ->excludes(workspace);
    app.add_flag("--json", options.json, "Answers in JSON");
    app.add_flag("--log-json", options.logJson, "Logs JSON lines");
    addRun(app, options, chosen);
    app.add_subcommand("migrate", "Brings the database to this program's schema.")->callback([&] {
        chosen = [&] { return migrate(options.target, options.json); };
    });
    app.add_subcommand("verify", "Recomputes the books and says what does not hold.")->callback([&] {
        chosen = [&] { return verify(options.target, options.json); };
    });
    addWorkspace(app, options, chosen);
    CLI::App* admin = app.add_subcommand("admin", "Sets up accounts, providers, merchants and people, in a workspace "
                                                  "that exists.");
    admin->require_subcommand(1);
    addAccounts(*admin, options, chosen);
    addParties(*admin, options, chosen);
    const std::function<void(CLI::App*)> fallThrough = [&fallThrough](CLI::App* command) {
        command->fallthrough();
        for (CLI::App* child : command->get_subcommands({}))
            fallThrough(child);
    };
    fallThrough(&app);

    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    }
    setUpLog(options.logJson);
    return chosen();
}
