// Brings a database to the schema this program was built with: migrations forward only, checksummed, each in one
// transaction; views and functions rebuilt when their text changed.
#pragma once

#include "core/db/connection.h"

#include <span>

namespace tekil::db {

// Everything in sql/ that makes a database. The parts are borrowed.
struct Schema {
    std::span<const sql::Migration> migrations; // ascending versions
    std::span<const sql::Routine> routines;
    std::string_view routinesDigest;
    std::string_view bootstrapRoles; // run by the cluster's superuser, repeatable
    int version() const { return migrations.empty() ? 0 : migrations.back().version; }
};

// What the build embedded.
Schema embeddedSchema();

struct MigrationReport {
    int from = 0;
    int to = 0;
    std::vector<std::string> applied; // names, in order
    bool routinesRebuilt = false;
};

// Runs as the database's owner. Two at once: one applies, the other waits for each step and finds it done.
// SchemaMismatch: the database is newer than the program, or an applied migration's text was changed.
Result<MigrationReport> migrate(Connection& owner, const Schema& schema);

enum class SchemaState : std::uint8_t { Empty, Older, Current, Newer };

// Looks only. SchemaMismatch as above, but Newer is an answer here. Older also where only routines differ.
Result<SchemaState> checkSchema(Connection& connection, const Schema& schema);

// Tests run on clusters without fsync; nothing else may.
enum class Durability : std::uint8_t { Required, WaivedForTests };

// Refused, saying which setting: a server that can lose what it has confirmed (fsync or full_page_writes off).
Result<void> refuseUnsafeServer(Connection& connection, Durability durability = Durability::Required);

} // namespace tekil::db
