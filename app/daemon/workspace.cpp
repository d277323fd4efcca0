// tekild workspace …: looks after a local workspace.
#include "app/daemon/commands.h"

#include "core/base/json.h"
#include "core/ledger/accounts.h"
#include "core/people/operators.h"
#include "core/recovery/left_behind.h"

#include <cstdio>

namespace tekil::daemon {

namespace {

int onlyLocal()
{
    return usage("tekild workspace looks after a local workspace: name it with --workspace, and leave --dsn out");
}

// One word for a script.
const char* stateOf(const db::WorkspaceStatus& status)
{
    if (status.running)
        return "running";
    if (!status.users.empty())
        return "server-lost"; // its users start it again
    return status.stoppedInOrder ? "stopped" : "ended-uncleanly";
}

std::string statusJson(const std::string& directory, const db::WorkspaceStatus& status)
{
    std::string users;
    for (const db::WorkspaceUser& user : status.users)
        users += (users.empty() ? "" : ",")
                 + JsonWriter().number("pid", user.pid).member("program", user.program).take();
    JsonWriter out;
    out.member("workspace", directory).member("state", stateOf(status)).boolean("running", status.running);
    out.member("version", TEKIL_VERSION).number("postgresMajor", status.postgresMajor);
    if (status.schemaVersion)
        out.number("schema", *status.schemaVersion);
    else
        out.null("schema");
    out.number("bytes", status.sizeBytes).number("serverPid", status.serverPid);
    out.member("socketDirectory", status.socketDirectory).raw("users", "[" + users + "]");
    if (status.lastUncleanEnd)
        out.raw("lastUncleanEnd", JsonWriter()
                                      .member("foundAt", status.lastUncleanEnd->foundAt)
                                      .member("what", status.lastUncleanEnd->what)
                                      .take());
    else
        out.null("lastUncleanEnd");
    return out.take();
}

void printStatus(const std::string& directory, const db::WorkspaceStatus& status)
{
    std::printf("%s: ", directory.c_str());
    if (status.running)
        std::printf("running, server pid %d, socket in %s\n", status.serverPid, status.socketDirectory.c_str());
    else if (!status.users.empty())
        std::printf("its server has ended; its users start it again\n");
    else
        std::printf(status.stoppedInOrder ? "stopped\n" : "ended uncleanly; the next start recovers it\n");
    std::printf("  tekil %s, PostgreSQL %d, schema %s, %llu MB\n", TEKIL_VERSION, status.postgresMajor,
                status.schemaVersion ? std::to_string(*status.schemaVersion).c_str() : "not known",
                static_cast<unsigned long long>(status.sizeBytes / 1'000'000));
    if (status.lastUncleanEnd)
        std::printf("  last unclean end, found %s: %s\n", status.lastUncleanEnd->foundAt.c_str(),
                    status.lastUncleanEnd->what.c_str());
    for (const db::WorkspaceUser& user : status.users)
        std::printf("  used by %s, pid %d\n", user.program.c_str(), user.pid);
}

struct Restored {
    recovery::AfterRestore treated;
    std::vector<people::RemadeLogin> logins;
};

// What makes a restored database safe, before it takes its place.
Result<void> prepare(const std::string& ownerDsn, Restored& restored)
{
    auto connection = db::Connection::open(ownerDsn, {.applicationName = "tekild restore", .statementTimeoutMs = 0});
    if (!connection)
        return connection.error();
    auto treated = recovery::treatAfterRestore(*connection);
    if (!treated)
        return treated.error();
    restored.treated = *treated;
    auto logins = people::remakeLogins(*connection);
    if (!logins)
        return logins.error();
    restored.logins = *std::move(logins);
    const auto checks = ledger::verify(*connection);
    if (!checks)
        return checks.error();
    for (const ledger::VerifiedCheck& check : *checks)
        if (!check.problems.empty())
            return Error{ErrorCode::Refused, "the books in the backup do not hold (" + check.name + ": "
                                                 + check.problems.front().subject + " " + check.problems.front().what
                                                 + "): name another file. Nothing was changed"};
    return {};
}

std::string restoredJson(const std::string& file, const db::RestoreReport& report, const Restored& restored)
{
    std::string logins;
    for (const people::RemadeLogin& login : restored.logins)
        logins += (logins.empty() ? "" : ",")
                  + JsonWriter().member("login", login.login).member("password", login.password).take();
    JsonWriter out;
    out.member("file", file).number("schema", report.migration.to);
    if (report.setAside.empty())
        out.null("setAside");
    else
        out.member("setAside", report.setAside);
    return out.number("processing", restored.treated.processing)
        .number("unknown", restored.treated.unknown)
        .number("claimed", restored.treated.claimed)
        .number("keptForPeople", restored.treated.kept)
        .raw("operators", "[" + logins + "]")
        .take();
}

void printRestored(const std::string& file, const db::RestoreReport& report, const Restored& restored)
{
    std::printf("restored %s, schema %d\n", file.c_str(), report.migration.to);
    if (!report.setAside.empty())
        std::printf("what was there before is kept, as a workspace of its own, in %s\n", report.setAside.c_str());
    std::printf("%lld payments were under way and %lld unknown: their providers are asked before anything is sent\n",
                static_cast<long long>(restored.treated.processing), static_cast<long long>(restored.treated.unknown));
    if (restored.treated.kept > 0)
        std::printf("%lld requests could not be accepted and are kept for people\n",
                    static_cast<long long>(restored.treated.kept));
    std::printf(
        "charges made after the backup are not in it: compare with your providers before merchants send again\n");
    for (const people::RemadeLogin& login : restored.logins)
        std::printf("new password of %s, told this once: %s\n", login.login.c_str(), login.password.c_str());
}

} // namespace

int workspaceStatus(const TargetOptions& options, bool json)
{
    if (!options.dsn.empty())
        return onlyLocal();
    const std::string directory = workspaceDirectory(options);
    const auto status = db::Workspace::status(directory);
    if (!status)
        return fail(status.error());
    if (json)
        std::printf("%s\n", statusJson(directory, *status).c_str());
    else
        printStatus(directory, *status);
    return 0;
}

int workspaceStop(const TargetOptions& options, bool json)
{
    if (!options.dsn.empty())
        return onlyLocal();
    const std::string directory = workspaceDirectory(options);
    if (const auto stopped = db::Workspace::stop(directory); !stopped)
        return fail(stopped.error());
    std::printf("%s\n", json ? "{\"stopped\":true}" : (directory + ": stopped").c_str());
    return 0;
}

int workspaceBackup(const TargetOptions& options, const std::string& file, bool json)
{
    if (!options.dsn.empty())
        return usage("tekild workspace backup saves a local workspace: leave --dsn out, and use pg_dump for a server");
    auto target = Target::open(options);
    if (!target)
        return fail(target.error());
    if (const auto saved = target->workspace()->backup(file); !saved)
        return fail(saved.error());
    std::printf("%s\n", json ? JsonWriter().member("file", file).take().c_str() : ("saved to " + file).c_str());
    const auto closed = target->close();
    return closed ? 0 : fail(closed.error());
}

int workspaceRestore(const TargetOptions& options, const std::string& file, bool replace, bool json)
{
    if (!options.dsn.empty())
        return usage(
            "tekild workspace restore fills a local workspace: leave --dsn out, and use pg_restore for a server");
    Restored restored;
    const auto report = db::Workspace::restore(
        workspaceDirectory(options), file, {.replace = replace, .beforeUse = [&restored](const std::string& ownerDsn) {
                                                return prepare(ownerDsn, restored);
                                            }});
    if (!report)
        return fail(report.error());
    if (json)
        std::printf("%s\n", restoredJson(file, *report, restored).c_str());
    else
        printRestored(file, *report, restored);
    return 0;
}

} // namespace tekil::daemon
