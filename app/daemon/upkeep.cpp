#include "app/daemon/commands.h"

#include "core/base/json.h"
#include "core/ledger/accounts.h"

#include <cstdio>

namespace tekil::daemon {

int migrate(const TargetOptions& options, bool json)
{
    auto target = Target::open(options); // a workspace is migrated by opening it
    if (!target)
        return fail(target.error());
    db::MigrationReport report;
    if (target->workspace()) {
        report = target->workspace()->report().migration;
    } else {
        auto connection = target->connectAsOwner();
        if (!connection)
            return fail(connection.error());
        auto migrated = db::migrate(*connection, db::embeddedSchema());
        if (!migrated)
            return fail(migrated.error());
        report = *std::move(migrated);
    }
    if (json) {
        std::printf("%s\n", JsonWriter()
                                .number("from", report.from)
                                .number("to", report.to)
                                .boolean("routinesRebuilt", report.routinesRebuilt)
                                .take()
                                .c_str());
    } else {
        for (const std::string& name : report.applied)
            std::printf("applied %s\n", name.c_str());
        std::printf("schema %d%s\n", report.to, report.routinesRebuilt ? ", routines rebuilt" : "");
    }
    const auto closed = target->close();
    return closed ? 0 : fail(closed.error());
}

int verify(const TargetOptions& options, bool json)
{
    auto target = Target::open(options);
    if (!target)
        return fail(target.error());
    int problems = 0;
    {
        db::ConnectionSettings settings;
        settings.applicationName = "tekild verify";
        settings.statementTimeoutMs = 0; // the whole ledger may take its time
        auto connection = db::Connection::open(target->dsn("tekil_owner"), settings);
        if (!connection)
            return fail(connection.error());
        const auto checks = ledger::verify(*connection);
        if (!checks)
            return fail(checks.error());
        for (const ledger::VerifiedCheck& check : *checks) {
            problems += static_cast<int>(check.problems.size());
            if (json) {
                std::string rows;
                for (const auto& problem : check.problems)
                    rows += (rows.empty() ? "" : ",")
                            + JsonWriter().member("subject", problem.subject).member("problem", problem.what).take();
                std::printf("%s\n", JsonWriter()
                                        .member("check", check.name)
                                        .boolean("holds", check.problems.empty())
                                        .raw("problems", "[" + rows + "]")
                                        .take()
                                        .c_str());
                continue;
            }
            std::printf("%-14s %s\n", check.name.c_str(),
                        check.problems.empty() ? "holds"
                                               : (std::to_string(check.problems.size()) + " do not hold").c_str());
            for (const auto& problem : check.problems)
                std::printf("  %s: %s\n", problem.subject.c_str(), problem.what.c_str());
        }
    }
    if (const auto closed = target->close(); !closed)
        return fail(closed.error());
    return problems == 0 ? 0 : fail(Error{ErrorCode::Refused, std::to_string(problems) + " rows do not hold"});
}

} // namespace tekil::daemon
