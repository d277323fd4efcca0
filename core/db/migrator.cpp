#include "core/db/migrator.h"

#include "sql_queries.h"
#include "sql_schema.h"

#include <spdlog/spdlog.h>

namespace tekil::db {

namespace {

struct Applied {
    int version;
    std::string name;
    std::string checksum;
};

Error mismatch(std::string detail)
{
    return {ErrorCode::SchemaMismatch, std::move(detail)};
}

Error named(const std::string& what, const Error& error)
{
    return {error.code, what + ": " + error.detail, error.sqlState};
}

template <class Runner>
Result<std::vector<Applied>> readApplied(Runner& runner)
{
    Result<Rows> rows = runner.run(sql::db::versionsRead);
    if (!rows)
        return rows.error();
    std::vector<Applied> out;
    for (int i = 0; i < rows->count(); ++i)
        out.push_back(
            {static_cast<int>(rows->int64(i, 0)), std::string(rows->text(i, 1)), std::string(rows->text(i, 2))});
    return out;
}

template <class Runner>
Result<std::string> readDigest(Runner& runner)
{
    Result<Rows> rows = runner.run(sql::db::digestRead);
    if (!rows)
        return rows.error();
    return rows->count() == 0 ? std::string() : std::string(rows->text(0, 0));
}

Result<bool> tablesExist(Connection& connection)
{
    Result<Rows> rows = connection.run(sql::db::tablesExist, {}, Mode::Reads);
    if (!rows)
        return rows.error();
    return rows->boolean(0, 0);
}

bool isNewer(const std::vector<Applied>& applied, const Schema& schema)
{
    return !applied.empty() && applied.back().version > schema.version();
}

Error newerError(const std::vector<Applied>& applied, const Schema& schema)
{
    return mismatch("the database has schema version " + std::to_string(applied.back().version)
                    + " and this program knows up to " + std::to_string(schema.version())
                    + ": use the newer program, or restore a backup from before its upgrade");
}

// What was applied must be the beginning of what the program brings, text for text.
Result<void> compare(const std::vector<Applied>& applied, const Schema& schema)
{
    for (std::size_t i = 0; i < applied.size() && i < schema.migrations.size(); ++i) {
        const sql::Migration& known = schema.migrations[i];
        if (applied[i].version != known.version)
            return mismatch("migration " + std::to_string(known.version) + " " + std::string(known.name)
                            + " is missing in the database, though a later one was applied: restore a backup");
        if (applied[i].checksum != known.checksum)
            return mismatch("migration " + std::to_string(known.version) + " " + std::string(known.name)
                            + " was applied with another text than this program's: use the program that made the "
                              "database, and write a new migration instead of changing one");
    }
    return {};
}

// Two migrators that create the same thing at the same moment: one of them fails, and finds it made.
Result<void> ensureTables(Connection& owner)
{
    constexpr int kAttempts = 5;
    Error last{ErrorCode::StatementFailed, ""};
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
        Result<bool> exist = tablesExist(owner);
        if (!exist)
            return exist.error();
        bool made = true;
        if (!*exist)
            for (const sql::Statement& statement :
                 {sql::db::schemaCreate, sql::db::versionTableCreate, sql::db::digestTableCreate})
                if (Result<Rows> done = owner.run(statement); !done) {
                    last = done.error();
                    made = false;
                    break;
                }
        if (made) {
            if (Result<Rows> done = owner.run(sql::db::lockRowInsert); !done)
                return done.error();
            return {};
        }
        if (last.code == ErrorCode::PermissionDenied || last.code == ErrorCode::DatabaseUnavailable)
            return last;
    }
    return last;
}

// Begins a transaction that no other migrator works beside.
Result<Transaction> beginAlone(Connection& owner)
{
    Result<Transaction> transaction = Transaction::begin(owner);
    if (!transaction)
        return transaction;
    for (const sql::Statement& statement : {sql::db::noTimeLimits, sql::db::lockRowTake})
        if (Result<Rows> done = transaction->run(statement); !done)
            return done.error();
    return transaction;
}

Result<void> runAll(Transaction& transaction, std::initializer_list<sql::Statement> statements)
{
    for (const sql::Statement& statement : statements)
        if (Result<Rows> done = transaction.run(statement); !done)
            return done.error();
    return {};
}

// Applies one migration, unless another migrator did meanwhile. The console's views go first, for they hold the tables
// they read as they are.
Result<bool> applyOne(Connection& owner, const sql::Migration& migration, const Schema& schema)
{
    const std::string label = "migration " + std::to_string(migration.version) + " " + std::string(migration.name);
    Result<Transaction> transaction = beginAlone(owner);
    if (!transaction)
        return named(label, transaction.error());
    Result<std::vector<Applied>> applied = readApplied(*transaction);
    if (!applied)
        return named(label, applied.error());
    if (isNewer(*applied, schema))
        return newerError(*applied, schema);
    if (Result<void> same = compare(*applied, schema); !same)
        return same.error();
    if (!applied->empty() && applied->back().version >= migration.version)
        return false;
    if (Result<void> done = runAll(*transaction, {sql::db::consoleDrop, sql::db::digestDelete}); !done)
        return named(label, done.error());
    if (Result<Rows> done = transaction->exec(migration.text); !done)
        return named(label, done.error());
    const Params row = Params().add(migration.version).add(migration.name).add(migration.checksum);
    if (Result<Rows> done = transaction->run(sql::db::versionInsert, row); !done)
        return named(label, done.error());
    if (Result<void> done = transaction->commit(); !done)
        return named(label, done.error());
    spdlog::info("{} applied", label);
    return true;
}

Result<bool> rebuildRoutines(Connection& owner, const Schema& schema)
{
    Result<Transaction> transaction = beginAlone(owner);
    if (!transaction)
        return transaction.error();
    Result<std::string> digest = readDigest(*transaction);
    if (!digest)
        return digest.error();
    if (*digest == schema.routinesDigest)
        return false;
    if (Result<void> done = runAll(*transaction, {sql::db::consoleDrop, sql::db::consoleCreate, sql::db::digestDelete});
        !done)
        return named("schema console", done.error());
    for (const sql::Routine& routine : schema.routines)
        if (Result<Rows> done = transaction->exec(routine.text); !done)
            return named("sql/routines/" + std::string(routine.name) + ".sql", done.error());
    if (Result<Rows> done = transaction->run(sql::db::digestInsert, Params().add(schema.routinesDigest)); !done)
        return done.error();
    if (Result<void> done = transaction->commit(); !done)
        return named("views and functions", done.error());
    return true;
}

} // namespace

Schema embeddedSchema()
{
    return {sql::kMigrations, sql::kRoutines, sql::kRoutinesDigest, sql::kBootstrapRoles};
}

Result<MigrationReport> migrate(Connection& owner, const Schema& schema)
{
    if (Result<void> tables = ensureTables(owner); !tables)
        return named("schema tekil", tables.error());
    Result<std::vector<Applied>> applied = readApplied(owner);
    if (!applied)
        return applied.error();
    if (isNewer(*applied, schema))
        return newerError(*applied, schema);
    if (Result<void> same = compare(*applied, schema); !same)
        return same.error();

    MigrationReport report;
    report.from = applied->empty() ? 0 : applied->back().version;
    for (const sql::Migration& migration : schema.migrations) {
        if (migration.version <= report.from)
            continue;
        Result<bool> done = applyOne(owner, migration, schema);
        if (!done)
            return done.error();
        if (*done)
            report.applied.emplace_back(migration.name);
    }
    report.to = schema.version();
    Result<bool> rebuilt = rebuildRoutines(owner, schema);
    if (!rebuilt)
        return rebuilt.error();
    report.routinesRebuilt = *rebuilt;
    return report;
}

Result<SchemaState> checkSchema(Connection& connection, const Schema& schema)
{
    Result<bool> exist = tablesExist(connection);
    if (!exist)
        return exist.error();
    if (!*exist)
        return SchemaState::Empty;
    Result<std::vector<Applied>> applied = readApplied(connection);
    if (!applied)
        return applied.error();
    Result<std::string> digest = readDigest(connection);
    if (!digest)
        return digest.error();
    if (applied->empty() && digest->empty())
        return SchemaState::Empty;
    if (isNewer(*applied, schema))
        return SchemaState::Newer;
    if (Result<void> same = compare(*applied, schema); !same)
        return same.error();
    if (applied->size() < schema.migrations.size() || *digest != schema.routinesDigest)
        return SchemaState::Older;
    return SchemaState::Current;
}

Result<void> refuseUnsafeServer(Connection& connection, Durability durability)
{
    if (durability == Durability::WaivedForTests)
        return {};
    Result<Rows> off = connection.run(sql::db::unsafeSettings, {}, Mode::Reads);
    if (!off)
        return off.error();
    if (off->count() == 0)
        return {};
    const std::string setting(off->text(0, 0));
    return Error{ErrorCode::Refused, "the server runs with " + setting
                                         + " off and can lose payments that it has "
                                           "confirmed: set "
                                         + setting + " = on in its configuration and restart it"};
}

} // namespace tekil::db
