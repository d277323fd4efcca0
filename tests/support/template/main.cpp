// Makes the template database that tests copy: "key" prints what its content depends on, "make SOCKETDIR DATABASE"
// makes it on a running cluster. A program of its own, so that tests of the window need nothing of core/.
#include "core/base/digest.h"
#include "core/db/migrator.h"

#include <cstdio>
#include <string>

using namespace tekil;

namespace {

int fail(const Error& error)
{
    std::fprintf(stderr, "test template: %s\n", error.detail.c_str());
    return 1;
}

std::string key(const db::Schema& schema)
{
    std::string all(schema.routinesDigest);
    all += schema.bootstrapRoles;
    for (const sql::Migration& migration : schema.migrations)
        all += migration.checksum;
    return hex(sha256(all));
}

int make(const std::string& host, const std::string& database, const db::Schema& schema)
{
    const std::string server = "host=" + host + " port=5432 ";
    db::ConnectionSettings settings;
    settings.statementTimeoutMs = 0;
    Result<db::Connection> superuser = db::Connection::open(server + "dbname=postgres user=postgres", settings);
    if (!superuser)
        return fail(superuser.error());
    for (const std::string& text :
         {std::string(schema.bootstrapRoles), "CREATE DATABASE " + database + " OWNER tekil_owner TEMPLATE template0"})
        if (Result<db::Rows> done = superuser->exec(text); !done)
            return fail(done.error());
    Result<db::Connection> owner = db::Connection::open(server + "user=tekil_owner dbname=" + database, settings);
    if (!owner)
        return fail(owner.error());
    if (Result<db::MigrationReport> migrated = db::migrate(*owner, schema); !migrated)
        return fail(migrated.error());
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    const db::Schema schema = db::embeddedSchema();
    const std::string verb = argc > 1 ? argv[1] : "";
    if (verb == "key" && argc == 2) {
        std::puts(key(schema).c_str());
        return 0;
    }
    if (verb == "make" && argc == 4)
        return make(argv[2], argv[3], schema);
    std::fputs("usage: make_test_template key | make SOCKETDIR DATABASE\n", stderr);
    return 2;
}
