#include "core/bench/site.h"

#include "core/base/digest.h"
#include "core/base/json.h"
#include "core/bench/interrupt.h"
#include "core/bench/machine.h"
#include "core/ledger/accounts.h"
#include "core/providers/provider_store.h"
#include "sql_bench.h"
#include "sql_queries.h"

#include <atomic>
#include <charconv>
#include <spdlog/spdlog.h>
#include <thread>
#include <unistd.h>

namespace tekil::bench {

namespace fs = std::filesystem;

namespace {

using namespace std::chrono_literals;

constexpr auto kReadyTime = 60s;
constexpr std::int64_t kFundsMinor = 1'000'000'000'000; // more than any measurement spends
constexpr std::int64_t kConcurrency = 1024;             // of the bank: it is not what is measured
constexpr std::size_t kKeyBytes = 32;

std::string memberOf(std::string_view json, std::string_view name)
{
    const auto value = parseJson(json);
    const JsonValue* const member = value && value->isObject() ? value->find(name) : nullptr;
    return member != nullptr ? member->text : "";
}

db::ConnectionSettings patient()
{
    db::ConnectionSettings settings;
    settings.applicationName = "tekil-bench";
    settings.statementTimeoutMs = 0;
    settings.lockTimeoutMs = 0;
    settings.idleInTransactionTimeoutMs = 0;
    settings.extra = {{"jit", "off"}, {"work_mem", "256MB"}};
    return settings;
}

// One id after the other without a gap, so that the first one says them all.
Result<std::int64_t> firstOf(const Result<db::Rows>& rows, std::size_t count)
{
    if (!rows)
        return rows.error();
    const auto last = static_cast<int>(count) - 1;
    if (rows->count() != last + 1 || rows->int64(last, 0) - rows->int64(0, 0) != last)
        return Error{ErrorCode::Refused, "somebody else adds accounts or merchants to this database: measure alone"};
    return rows->int64(0, 0);
}

} // namespace

CpuUse CpuUse::since(const CpuUse& before) const
{
    return {.generator = generator - before.generator,
            .bank = bank - before.bank,
            .engine = engine - before.engine,
            .postgres = postgres - before.postgres};
}

std::string Site::randomTag()
{
    return Uuid::random().text().substr(0, 8);
}

Result<db::Rows> runLong(db::Connection& connection, const sql::Statement& statement, const db::Params& params)
{
    std::atomic<bool> done = false;
    std::thread watch([&] {
        while (!done && !interrupted())
            std::this_thread::sleep_for(50ms);
        if (!done)
            connection.cancel();
    });
    auto rows = connection.run(statement, params);
    done = true;
    watch.join();
    if (const auto on = goOn(); !on)
        return on.error();
    return rows;
}

std::string fetch(Endpoint from, const std::string& path)
{
    std::string body;
    LoadPlan plan{.to = from, .connections = 1, .atMost = 1, .patience = 5s, .write = {}};
    plan.write = [&path](std::uint64_t, std::string& out) {
        out += "GET " + path + " HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n\r\n";
    };
    plan.onAnswer = [&body](std::uint64_t, int status, std::string_view answer) {
        if (status == 200)
            body = answer;
    };
    const auto done = runLoad(plan);
    return done ? body : std::string();
}

Result<std::unique_ptr<Site>> Site::open(const SiteOptions& options)
{
    std::unique_ptr<Site> site(new Site(options));
    std::string pattern = (options.directory / "tekil-bench-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr)
        return Error{ErrorCode::IoFailed, "no directory can be made in " + options.directory.string()};
    site->m_directory = pattern;
    site->m_madeDirectory = true;
    fs::permissions(site->m_directory, fs::perms(0755)); // the workspace's owner must enter it
    if (const auto ready = site->isOwn() ? site->openWorkspace() : site->takeTargets(); !ready)
        return ready.error();
    auto owner = db::Connection::open(site->ownerDsn(), patient());
    if (!owner)
        return owner.error();
    site->m_owner.emplace(*std::move(owner));
    if (const auto found = site->findPostgres(); !found)
        return found.error();
    if (site->isOwn() && options.bankRuns)
        if (const auto started = site->startBank(); !started)
            return started.error();
    if (const auto added = site->addParties(); !added)
        return added.error();
    return site;
}

Site::~Site()
{
    m_engine.reset();
    m_bank.reset();
    m_owner.reset();
    if (m_workspace)
        if (const auto closed = m_workspace->close(); !closed)
            spdlog::warn("the workspace did not end in order: {}", closed.error().detail);
    m_workspace.reset();
    std::error_code failed;
    if (m_madeDirectory)
        fs::remove_all(m_directory, failed);
    if (failed)
        spdlog::warn("{} is left behind: {}", m_directory.string(), failed.message());
}

Result<void> Site::openWorkspace()
{
    m_workspaceDirectory = m_options.keep.empty() ? m_directory / "workspace" : m_options.keep;
    auto workspace = db::Workspace::open(m_workspaceDirectory);
    if (!workspace)
        return workspace.error();
    m_workspace.emplace(*std::move(workspace));
    return {};
}

Result<void> Site::startBank()
{
    const auto program = siblingProgram("tekil-bank");
    if (!program)
        return program.error();
    auto child = Child::start({*program, "--listen", "127.0.0.1:0"}, {}, m_directory / "bank.log");
    if (!child)
        return child.error();
    m_bank = *std::move(child);
    const auto ready = m_bank->readLine(kReadyTime);
    if (!ready)
        return ready.error();
    m_bankPid = m_bank->pid();
    m_bankUrl = memberOf(*ready, "http");
    const auto at = Endpoint::fromUrl(m_bankUrl);
    if (!at)
        return at.error();
    m_bankAt = *at;
    return {};
}

Result<void> Site::takeTargets()
{
    const auto http = Endpoint::fromUrl(m_options.http);
    if (!http)
        return http.error();
    const auto bank = Endpoint::fromUrl(m_options.bank);
    if (!bank)
        return bank.error();
    m_engineAt = *http;
    m_bankAt = *bank;
    m_bankUrl = m_options.bank;
    m_bankedBefore = bankCount("booked");
    m_duplicatesBefore = bankCount("duplicates");
    if (m_bankedBefore < 0)
        return Error{ErrorCode::IoFailed, "no tekil-bank answers at " + m_options.bank};
    return {};
}

Result<void> Site::findPostgres()
{
    const auto facts = m_owner->run(sql::bench::figures::server, {}, db::Mode::Reads);
    if (!facts)
        return facts.error();
    const pid_t parent = parentOf(static_cast<pid_t>(facts->int64(0, 9)));
    m_postgresPid = commandOf(parent) == "postgres" ? parent : 0; // of another machine it cannot be seen
    if (isOwn())
        return {};
    char host[256] = {};
    gethostname(host, sizeof host - 1);
    const auto engine = m_owner->run(sql::bench::figures::engineProcess,
                                     db::Params().add(m_options.http).add(std::string_view(host)), db::Mode::Reads);
    if (!engine)
        return engine.error();
    m_enginePid = engine->count() == 1 ? static_cast<pid_t>(engine->int64(0, 0)) : 0;
    return {};
}

Result<void> Site::addProviders()
{
    const std::string url = m_bankUrl.empty() ? "http://127.0.0.1:9" : m_bankUrl;
    for (const auto& [suffix, id] :
         {std::pair("", &m_parties.provider), std::pair("-direct", &m_parties.directProvider)}) {
        providers::NewProvider provider{.name = m_mark + suffix, .url = url};
        provider.canIdempotent = true;
        provider.canInquiry = true;
        provider.timeout = 60s; // a slow bank is slow, not silent
        const auto added = providers::addProvider(*m_owner, provider);
        if (!added)
            return added.error();
        *id = *added;
        m_parties.directProviderName = provider.name; // the last one's
        const auto widened = m_owner->run(sql::bench::site::widenProvider, db::Params().add(*added).add(kConcurrency));
        if (!widened)
            return widened.error();
    }
    return {};
}

Result<void> Site::addParties()
{
    if (const auto added = addProviders(); !added)
        return added;
    const std::size_t merchants = std::min(m_options.merchants, m_options.accounts);
    const auto opened = m_owner->run(sql::bench::site::openAccounts, db::Params().add(m_mark).add(m_options.accounts));
    const auto firstAccount = firstOf(opened, m_options.accounts);
    if (!firstAccount)
        return firstAccount.error();
    m_parties.firstAccount = *firstAccount;
    std::vector<std::int64_t> accounts, defaults, ids;
    for (std::size_t i = 0; i < m_options.accounts; ++i)
        accounts.push_back(m_parties.firstAccount + static_cast<std::int64_t>(i));
    const auto funded = m_owner->run(sql::bench::site::fundAccounts,
                                     db::Params().add(accounts).add(kFundsMinor).add(m_mark));
    if (!funded)
        return funded.error();
    std::vector<std::string> names;
    std::vector<Sha256> hashes;
    for (std::size_t i = 0; i < merchants; ++i) {
        names.push_back(m_mark + "-" + std::to_string(i));
        m_parties.apiKeys.push_back("tk_" + randomToken(kKeyBytes));
        hashes.push_back(sha256(m_parties.apiKeys.back()));
        defaults.push_back(accounts[i]);
    }
    const auto added = m_owner->run(sql::bench::site::addMerchants,
                                    db::Params().add(names).add(hashes).add(defaults).add(m_parties.provider));
    const auto firstMerchant = firstOf(added, merchants);
    if (!firstMerchant)
        return firstMerchant.error();
    m_parties.firstMerchant = *firstMerchant;
    for (std::size_t i = 0; i < merchants; ++i)
        ids.push_back(m_parties.firstMerchant + static_cast<std::int64_t>(i));
    if (const auto granted = m_owner->run(sql::bench::site::grantAccounts, db::Params().add(ids).add(accounts));
        !granted)
        return granted.error();
    const auto firstCollection = firstOf(m_owner->run(sql::bench::site::openCollections, db::Params().add(ids)),
                                         merchants);
    if (!firstCollection)
        return firstCollection.error();
    m_parties.firstCollection = *firstCollection;
    return {};
}

Result<void> Site::startEngine()
{
    if (!isOwn() || m_engine)
        return {};
    const auto program = siblingProgram("tekild");
    if (!program)
        return program.error();
    auto child = Child::start({*program, "run", "--workspace", m_workspaceDirectory.string(), "--listen", "127.0.0.1:0",
                               "--admin-listen", "127.0.0.1:0"},
                              {}, m_directory / "engine.log");
    if (!child)
        return child.error();
    m_engine = *std::move(child);
    const auto ready = m_engine->readLine(kReadyTime);
    if (!ready)
        return ready.error();
    const auto http = Endpoint::fromUrl(memberOf(*ready, "http"));
    const auto admin = Endpoint::fromUrl(memberOf(*ready, "admin"));
    if (!http || !admin)
        return Error{ErrorCode::IoFailed, "tekild's ready line cannot be read: " + *ready};
    m_engineAt = *http;
    m_adminAt = *admin;
    m_enginePid = m_engine->pid();
    return {};
}

Result<void> Site::scriptBank(const std::string& script)
{
    bool taken = false;
    LoadPlan plan{.to = m_bankAt, .connections = 1, .atMost = 1, .write = {}};
    plan.write = [&script](std::uint64_t, std::string& out) {
        out += "POST /script HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nContent-Length: "
               + std::to_string(script.size()) + "\r\n\r\n" + script;
    };
    plan.onAnswer = [&taken](std::uint64_t, int status, std::string_view) { taken = status < 300; };
    const auto done = runLoad(plan);
    if (!done)
        return done.error();
    if (!taken)
        return Error{ErrorCode::IoFailed, "the bank does not take the script " + script};
    return {};
}

std::string Site::ownerDsn() const
{
    return m_workspace ? m_workspace->dsn("tekil_owner") : m_options.dsn;
}

std::string Site::engineDsn() const
{
    return m_workspace ? m_workspace->dsn("tekil_engine") : m_options.dsn;
}

std::string Site::adminDsn() const
{
    return m_workspace ? m_workspace->dsn("postgres") : m_options.dsn;
}

fs::path Site::postgresProgram(const std::string& name) const
{
    std::error_code failed;
    const fs::path server = fs::read_symlink("/proc/" + std::to_string(m_postgresPid) + "/exe", failed);
    const fs::path beside = server.parent_path() / name;
    return failed || access(beside.c_str(), X_OK) != 0 ? fs::path("/usr/bin") / name : beside;
}

CpuUse Site::cpu() const
{
    return {.generator = cpuOf(getpid()),
            .bank = cpuOf(m_bankPid),
            .engine = cpuOf(m_enginePid),
            .postgres = cpuOf(m_postgresPid, true)};
}

std::int64_t Site::bankCount(const std::string& name) const
{
    const std::string text = memberOf(fetch(m_bankAt, "/ledger/counts"), name);
    std::int64_t value = -1;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

Result<void> Site::awaitNoBacklog(std::chrono::seconds within)
{
    const auto until = std::chrono::steady_clock::now() + within;
    while (true) {
        const auto asked = std::chrono::steady_clock::now();
        const auto left = m_owner->run(sql::bench::site::backlog, {}, db::Mode::Reads);
        if (!left)
            return left.error();
        if (left->int64(0, 0) == 0 && left->int64(0, 1) == 0)
            return {};
        if (const auto on = goOn(); !on)
            return on;
        if (std::chrono::steady_clock::now() > until)
            return Error{ErrorCode::Refused, "the backlog is not zero: " + std::to_string(left->int64(0, 0))
                                                 + " payments have not ended and " + std::to_string(left->int64(0, 1))
                                                 + " messages wait"};
        // To look must not cost what it looks at more than a twentieth of its time.
        std::this_thread::sleep_for(
            std::max<std::chrono::nanoseconds>(5ms, 20 * (std::chrono::steady_clock::now() - asked)));
    }
}

Result<void> Site::judge(Report& report)
{
    if (report.refused())
        return {};
    if (const auto ended = awaitNoBacklog(); !ended) {
        if (ended.error().code != ErrorCode::Refused)
            return ended.error();
        report.refuse(ended.error().detail);
        return {};
    }
    const auto problems = runLong(*m_owner, sql::ledger::verify);
    if (!problems)
        return problems.error();
    for (int row = 0; row < problems->count(); ++row)
        if (!problems->isNull(row, 1))
            report.refuse("verify does not hold: " + std::string(problems->text(row, 1)) + ": "
                          + std::string(problems->text(row, 2)));
    const auto ended = m_owner->run(sql::bench::site::ended, db::Params().add(m_parties.provider), db::Mode::Reads);
    if (!ended)
        return ended.error();
    report.figure("backlog", "backlog at the end", 0);
    report.figure("completed", "payments Completed by the engine", ended->int64(0, 0));
    report.figure("notCompleted", "payments that ended otherwise", ended->int64(0, 1));
    if (m_bankUrl.empty())
        return {};
    const std::int64_t booked = bankCount("booked") - m_bankedBefore;
    const std::int64_t twice = bankCount("duplicates") - m_duplicatesBefore;
    report.figure("bankBooked", "charges that the bank booked", booked);
    if (booked != ended->int64(0, 0) || twice != 0)
        report.refuse("the bank booked " + std::to_string(booked) + " charges, " + std::to_string(twice)
                      + " of them twice, for " + std::to_string(ended->int64(0, 0)) + " Completed payments");
    return {};
}

Result<void> Site::describe(Report& report)
{
    const auto server = m_owner->run(sql::bench::figures::server, {}, db::Mode::Reads);
    if (!server)
        return server.error();
    const auto told = [&server](int column) { return std::string(server->text(0, column)); };
    report.circumstance("postgresql", "PostgreSQL", told(0));
    report.circumstance("settings", "settings",
                        "fsync " + told(1) + ", synchronous_commit " + told(2) + ", full_page_writes " + told(3)
                            + ", shared_buffers " + told(4) + ", max_wal_size " + told(5) + ", checkpoint_timeout "
                            + told(6) + ", wal_compression " + told(7) + ", checksums " + told(8));
    const auto fsync = fsyncUs(m_directory);
    if (!fsync)
        return fsync.error();
    report.circumstance("fsyncUs", "write 8 KiB + fdatasync",
                        std::to_string(*fsync) + " us (median of 200), " + fileSystemOf(m_directory) + " at "
                            + m_options.directory.string());
    if (fileSystemOf(m_directory) == "tmpfs")
        report.note("The workspace lay in memory: name a directory on a disk with --directory.");
    report.circumstance("machine", "machine",
                        std::to_string(cores()) + " cores, " + std::to_string(memoryMiB()) + " MiB");
    report.circumstance("load", "load average now", loadAverage());
    report.circumstance("build", "build", TEKIL_BUILD);
    report.circumstance("processes", "processes",
                        isOwn() ? "tekild, tekil-bank and PostgreSQL each on their own, the generator in tekil-bench"
                                : "given targets");
    if (std::string_view(TEKIL_BUILD).find("Release") == std::string_view::npos)
        report.note("Not a release build: these figures say little.");
    return {};
}

} // namespace tekil::bench
