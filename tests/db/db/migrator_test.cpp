// The migrator's rules, with migrations of its own.
#include "core/db/migrator.h"
#include "tests/support/cluster.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <array>
#include <future>

using namespace tekil;
using namespace tekil::db;
using tekil::test::TestCluster;
using tekil::test::TestDatabase;

namespace {

constexpr std::array<sql::Migration, 3> kSteps{{
    {1, "first", "aa", "CREATE TABLE tekil.thing (n int); INSERT INTO tekil.thing VALUES (1);"},
    {2, "second", "bb", "SELECT pg_sleep(0.2); INSERT INTO tekil.thing VALUES (2);"},
    {3, "third", "cc", "ALTER TABLE tekil.thing ALTER n TYPE bigint;"},
}};
constexpr std::array<sql::Routine, 1> kViews{{{"things", "CREATE VIEW console.things AS SELECT n FROM tekil.thing"}}};
constexpr std::array<sql::Routine, 1> kOtherViews{
    {{"things", "CREATE VIEW console.items AS SELECT n FROM tekil.thing"}}};

Schema schemaOf(std::size_t steps, std::span<const sql::Routine> routines = kViews, std::string_view digest = "d1")
{
    return {std::span(kSteps).first(steps), routines, digest, ""};
}

Connection owner(const TestDatabase& database)
{
    Result<Connection> connection = Connection::open(database.dsn("tekil_owner"));
    if (!connection)
        qFatal("%s", connection.error().detail.c_str());
    return std::move(*connection);
}

} // namespace

class MigratorTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void anEmptyDatabaseIsBroughtUpAndASecondRunChangesNothing()
    {
        const TestDatabase database(TestDatabase::Content::Empty);
        Connection connection = owner(database);
        QCOMPARE(checkSchema(connection, schemaOf(2)).value(), SchemaState::Empty);
        const Result<MigrationReport> first = migrate(connection, schemaOf(2));
        QVERIFY2(first.ok(), first.ok() ? "" : first.error().detail.c_str());
        QCOMPARE(first.value().from, 0);
        QCOMPARE(first.value().to, 2);
        QVERIFY((first.value().applied == std::vector<std::string>{"first", "second"}));
        QVERIFY(first.value().routinesRebuilt);
        QCOMPARE(checkSchema(connection, schemaOf(2)).value(), SchemaState::Current);
        const Result<MigrationReport> second = migrate(connection, schemaOf(2));
        QVERIFY(second.value().applied.empty());
        QVERIFY(!second.value().routinesRebuilt);
        QCOMPARE(database.sql("SELECT sum(n) FROM console.things"), std::string("3"));
    }

    void aLaterMigrationMayChangeWhatAViewReads()
    {
        const TestDatabase database(TestDatabase::Content::Empty);
        Connection connection = owner(database);
        QVERIFY(migrate(connection, schemaOf(2)).ok());
        QCOMPARE(checkSchema(connection, schemaOf(3)).value(), SchemaState::Older);
        const Result<MigrationReport> report = migrate(connection, schemaOf(3));
        QVERIFY2(report.ok(), report.ok() ? "" : report.error().detail.c_str());
        QCOMPARE(report.value().from, 2);
        QVERIFY(report.value().routinesRebuilt);
        QCOMPARE(database.sql("SELECT pg_typeof(n) FROM console.things LIMIT 1"), std::string("bigint"));
    }

    void routinesAreRebuiltWhenTheirTextChanged()
    {
        const TestDatabase database(TestDatabase::Content::Empty);
        Connection connection = owner(database);
        QVERIFY(migrate(connection, schemaOf(1)).ok());
        const Schema changed = schemaOf(1, kOtherViews, "d2");
        QCOMPARE(checkSchema(connection, changed).value(), SchemaState::Older);
        const Result<MigrationReport> report = migrate(connection, changed);
        QVERIFY(report.ok() && report.value().routinesRebuilt && report.value().applied.empty());
        QVERIFY(database.sql("SELECT to_regclass('console.things')").empty());
        QCOMPARE(database.sql("SELECT count(*) FROM console.items"), std::string("1"));
    }

    void aChangedMigrationIsRefusedByName()
    {
        const TestDatabase database(TestDatabase::Content::Empty);
        Connection connection = owner(database);
        QVERIFY(migrate(connection, schemaOf(2)).ok());
        auto steps = kSteps;
        steps[1].checksum = "changed";
        const Schema changed{steps, kViews, "d1", ""};
        const Result<MigrationReport> report = migrate(connection, changed);
        QVERIFY(!report.ok());
        QCOMPARE(report.error().code, ErrorCode::SchemaMismatch);
        QVERIFY(report.error().detail.find("2 second") != std::string::npos);
        QCOMPARE(database.sql("SELECT max(version) FROM tekil.schema_version"), std::string("2"));
        QCOMPARE(checkSchema(connection, changed).error().code, ErrorCode::SchemaMismatch);
    }

    void aNewerDatabaseIsRefusedAndLeftAsItIs()
    {
        const TestDatabase database(TestDatabase::Content::Empty);
        Connection connection = owner(database);
        QVERIFY(migrate(connection, schemaOf(3)).ok());
        const Schema older = schemaOf(2, kOtherViews, "d2");
        QCOMPARE(checkSchema(connection, older).value(), SchemaState::Newer);
        const Result<MigrationReport> report = migrate(connection, older);
        QVERIFY(!report.ok());
        QCOMPARE(report.error().code, ErrorCode::SchemaMismatch);
        QCOMPARE(database.sql("SELECT count(*) FROM console.things"), std::string("2"));
    }

    void aMigrationThatFailsLeavesNothingAndIsNamed()
    {
        const TestDatabase database(TestDatabase::Content::Empty);
        Connection connection = owner(database);
        const std::array<sql::Migration, 1> broken{
            {{1, "broken", "zz", "CREATE TABLE tekil.half (n int); SELECT 1/0;"}}};
        const Result<MigrationReport> report = migrate(connection, {broken, {}, "", ""});
        QVERIFY(!report.ok());
        QVERIFY(report.error().detail.find("1 broken") != std::string::npos);
        QVERIFY(database.sql("SELECT to_regclass('tekil.half')").empty());
        QVERIFY(connection.healthy());
        QVERIFY(migrate(connection, schemaOf(1)).ok());
    }

    void ofTwoAtOnceOneAppliesAndTheOtherFindsItDone()
    {
        for (int round = 0; round < 5; ++round) {
            const TestDatabase database(TestDatabase::Content::Empty);
            const auto run = [&database] {
                Connection connection = owner(database);
                return migrate(connection, schemaOf(3));
            };
            auto one = std::async(std::launch::async, run);
            auto two = std::async(std::launch::async, run);
            const Result<MigrationReport> first = one.get();
            const Result<MigrationReport> second = two.get();
            QVERIFY2(first.ok(), first.ok() ? "" : first.error().detail.c_str());
            QVERIFY2(second.ok(), second.ok() ? "" : second.error().detail.c_str());
            QCOMPARE(first.value().applied.size() + second.value().applied.size(), std::size_t{3});
            QVERIFY(first.value().routinesRebuilt != second.value().routinesRebuilt);
            QCOMPARE(database.sql("SELECT sum(n) FROM console.things"), std::string("3"));
        }
    }

    void theEmbeddedSchemaIsWhatTestDatabasesHold()
    {
        const TestDatabase database;
        Connection connection = owner(database);
        QCOMPARE(checkSchema(connection, embeddedSchema()).value(), SchemaState::Current);
    }

    void aServerThatCanLoseCommitsIsRefused()
    {
        const TestDatabase database(TestDatabase::Content::Empty);
        Connection connection = owner(database);
        const Result<void> refused = refuseUnsafeServer(connection);
        QVERIFY(!refused.ok());
        QCOMPARE(refused.error().code, ErrorCode::Refused);
        QVERIFY(refused.error().detail.find("fsync") != std::string::npos);
        QVERIFY(refuseUnsafeServer(connection, Durability::WaivedForTests).ok());
    }
};
TEKIL_TEST(MigratorTest)

#include "migrator_test.moc"
