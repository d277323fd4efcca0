// Where a measurement takes place: PostgreSQL in a throw-away workspace, tekild and tekil-bank as processes of their
// own, merchants and funded accounts; or targets that run already. It ends what it started and takes its directory
// away.
#pragma once

#include "core/base/uuid.h"
#include "core/bench/child.h"
#include "core/bench/load.h"
#include "core/bench/report.h"
#include "core/db/connection.h"
#include "core/db/workspace.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tekil::bench {

struct SiteOptions {
    // Targets that run already; all three or none. The DSN is that of the database's owner.
    std::string dsn, http, bank;
    std::filesystem::path directory = "/var/tmp"; // where the throw-away workspace is made: on the disk to be measured
    std::filesystem::path keep = {}; // a workspace to make and leave there, instead of a throw-away one
    std::size_t accounts = 1'000;
    std::size_t merchants = 100;
    bool bankRuns = true;
    std::int64_t patience = 60; // seconds that payments may take to end after the load
};

// CPU time so far, each on its own account.
struct CpuUse {
    std::chrono::milliseconds generator{}, bank{}, engine{}, postgres{};
    CpuUse since(const CpuUse& before) const;
    std::chrono::milliseconds sum() const { return generator + bank + engine + postgres; }
};

// A provider's rows and the first ids of what its merchants pay from. Merchant i % merchants may debit account i.
struct Parties {
    std::int64_t provider = 0; // that the engine charges at
    std::int64_t directProvider = 0; // of payments that are written without the engine
    std::string directProviderName;
    std::int64_t firstAccount = 0, firstMerchant = 0, firstCollection = 0;
    std::vector<std::string> apiKeys; // of the merchants
};

class Site {
public:
    static Result<std::unique_ptr<Site>> open(const SiteOptions& options);
    Site(const Site&) = delete;
    Site& operator=(const Site&) = delete;
    ~Site();

    bool isOwn() const { return m_options.dsn.empty(); }
    // Of an own site: the engine and the bank start when they are asked for.
    Result<void> startEngine();
    void stopEngine() { m_engine.reset(); }
    Result<void> scriptBank(const std::string& script);

    const SiteOptions& options() const { return m_options; }
    const Parties& parties() const { return m_parties; }
    Endpoint engine() const { return m_engineAt; }
    Endpoint admin() const { return m_adminAt; }
    Endpoint bank() const { return m_bankAt; }
    pid_t enginePid() const { return m_enginePid; }
    std::string ownerDsn() const;
    std::string engineDsn() const; // of a login with the engine's rights
    std::string adminDsn() const; // of the cluster's superuser, in a workspace of our own; else the owner's
    db::Connection& owner() { return *m_owner; }
    std::filesystem::path scratch() const { return m_directory; }
    const std::filesystem::path& workspaceDirectory() const { return m_workspaceDirectory; }

    CpuUse cpu() const;
    std::int64_t bankCount(const std::string& name) const; // of GET /ledger/counts; -1: it does not answer
    // Waits until nothing is under way any more.
    Result<void> awaitNoBacklog() { return awaitNoBacklog(std::chrono::seconds(m_options.patience)); }
    Result<void> awaitNoBacklog(std::chrono::seconds within);
    // The end of every measurement: no backlog, the books verify, the bank booked each payment once. What does not hold
    // refuses the report.
    Result<void> judge(Report& report);
    Result<void> describe(Report& report);
    // Charges that the bank was asked for without the engine do not count in judge().
    void discountCharges(std::int64_t count) { m_bankedBefore += count; }
    std::filesystem::path postgresProgram(const std::string& name) const; // of the server's own version

private:
    explicit Site(SiteOptions options) : m_options(std::move(options)) {}
    Result<void> openWorkspace();
    Result<void> startBank();
    Result<void> takeTargets();
    Result<void> addParties();
    Result<void> addProviders();
    Result<void> findPostgres();

    SiteOptions m_options;
    const std::string m_mark = "bench-" + randomTag();
    static std::string randomTag();
    std::filesystem::path m_directory, m_workspaceDirectory;
    bool m_madeDirectory = false;
    std::optional<db::Workspace> m_workspace;
    std::optional<db::Connection> m_owner;
    std::unique_ptr<Child> m_bank, m_engine;
    Endpoint m_engineAt, m_adminAt, m_bankAt;
    pid_t m_enginePid = 0, m_bankPid = 0, m_postgresPid = 0;
    std::string m_bankUrl;
    std::int64_t m_bankedBefore = 0, m_duplicatesBefore = 0;
    Parties m_parties;
};

// The body of an answer to GET, "" where none came.
std::string fetch(Endpoint from, const std::string& path);
// A statement that a caught signal may end: the connection is cancelled then.
Result<db::Rows> runLong(db::Connection& connection, const sql::Statement& statement, const db::Params& params = {});

} // namespace tekil::bench
