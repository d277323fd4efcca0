// What a connection, a transaction and bound values promise: exact values, and errors that tell what happened.
#include "core/db/connection.h"
#include "core/db/listener.h"
#include "tests/support/cluster.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <signal.h>

#include <future>
#include <thread>

using namespace tekil;
using namespace tekil::db;
using tekil::test::TestDatabase;

namespace {

using Texts = std::vector<std::string>;

Connection ownerOf(const TestDatabase& database, int statementTimeoutMs = 60'000)
{
    ConnectionSettings settings;
    settings.statementTimeoutMs = statementTimeoutMs;
    Result<Connection> connection = Connection::open(database.dsn("tekil_owner"), settings);
    if (!connection)
        qFatal("%s", connection.error().detail.c_str());
    return std::move(*connection);
}

std::string backendOf(Connection& connection)
{
    const Result<Rows> rows = connection.exec("SELECT pg_backend_pid()", Mode::Reads);
    return std::string(rows.value().text(0, 0));
}

void waitUntilAsleep(const TestDatabase& database, const std::string& pid)
{
    const std::string text = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND pid = " + pid;
    while (database.sql(text) == "0")
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

// Ends the backend once it is inside pg_sleep.
std::future<void> terminateWhenAsleep(const TestDatabase& database, const std::string& pid)
{
    return std::async(std::launch::async, [&database, pid] {
        waitUntilAsleep(database, pid);
        database.sql("SELECT pg_terminate_backend(" + pid + ")");
    });
}

void makeSlowCommit(const TestDatabase& database)
{
    database.sql("CREATE SCHEMA t AUTHORIZATION tekil_owner; SET ROLE tekil_owner;"
                 "CREATE TABLE t.slow (n int PRIMARY KEY);"
                 "CREATE FUNCTION t.nap() RETURNS trigger LANGUAGE plpgsql AS "
                 "$$BEGIN PERFORM pg_catalog.pg_sleep(30); RETURN NULL; END$$;"
                 "CREATE CONSTRAINT TRIGGER nap AFTER INSERT ON t.slow DEFERRABLE INITIALLY DEFERRED "
                 "FOR EACH ROW EXECUTE FUNCTION t.nap()");
}

void makeDeferredKey(const TestDatabase& database)
{
    database.sql("CREATE SCHEMA t AUTHORIZATION tekil_owner; SET ROLE tekil_owner;"
                 "CREATE TABLE t.parent (n int PRIMARY KEY);"
                 "CREATE TABLE t.child (n int REFERENCES t.parent DEFERRABLE INITIALLY DEFERRED)");
}

constexpr sql::Statement kInsertChild{"test.insert_child", "INSERT INTO t.child VALUES (1) RETURNING n"};
constexpr sql::Statement kInsertSlow{"test.insert_slow", "INSERT INTO t.slow VALUES ($1) RETURNING n"};

} // namespace

class ParamsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void scalarsComeBackAsTheyWereSent()
    {
        const TestDatabase database(TestDatabase::Content::Empty);
        Connection connection = ownerOf(database);
        const Uuid id = Uuid::next();
        const Sha256 digest = sha256("x");
        const std::optional<std::int64_t> none;
        const sql::Statement all{"test.scalars", "SELECT $1::bigint, $2::text, $3::uuid, $4::boolean, $5::bytea, "
                                                 "$6::bigint, $7::text, $8::int"};
        const Params params = Params()
                                  .add(std::numeric_limits<std::int64_t>::min())
                                  .add("Şişli 'İ' \\ \"ı\"")
                                  .add(id)
                                  .add(false)
                                  .add(digest)
                                  .add(none)
                                  .add("")
                                  .add(7);
        const Result<Rows> rows = connection.run(all, params);
        QVERIFY(rows.ok());
        QCOMPARE(rows.value().int64(0, 0), std::numeric_limits<std::int64_t>::min());
        QVERIFY(rows.value().text(0, 1) == "Şişli 'İ' \\ \"ı\"");
        QVERIFY(rows.value().uuid(0, 2) == id);
        QVERIFY(!rows.value().boolean(0, 3));
        QVERIFY(rows.value().bytes(0, 4) == std::string(digest.begin(), digest.end()));
        QVERIFY(rows.value().isNull(0, 5));
        QVERIFY(!rows.value().optionalInt64(0, 5).has_value());
        QVERIFY(!rows.value().isNull(0, 6));
        QVERIFY(rows.value().text(0, 6).empty());
        QCOMPARE(rows.value().int64(0, 7), 7);
    }

    void oddTextsSurviveAnArray()
    {
        const TestDatabase database(TestDatabase::Content::Empty);
        Connection connection = ownerOf(database);
        const std::vector<std::optional<std::string>> sent{"",       "NULL",
                                                           "null",   std::nullopt,
                                                           "a,b",    "{x}",
                                                           "\"",     "\\",
                                                           "\\\"",   "'",
                                                           " lead",  "trail ",
                                                           "\t\n ",  "İstanbul",
                                                           "ığüşöç", "\xF0\x9F\x98\x80",
                                                           "\\x41",  "{\"a\":[1,null]}"};
        const Result<Rows> rows = connection.run(
            {"test.texts", "SELECT t FROM unnest($1::text[]) WITH ORDINALITY AS x(t, n) ORDER BY n"},
            Params().add(sent));
        QVERIFY(rows.ok());
        QCOMPARE(rows.value().count(), static_cast<int>(sent.size()));
        for (int i = 0; i < rows.value().count(); ++i) {
            const auto got = rows.value().optionalText(i, 0);
            QCOMPARE(got.has_value(), sent[static_cast<std::size_t>(i)].has_value());
            if (got)
                QVERIFY2(*got == *sent[static_cast<std::size_t>(i)], std::string(*got).c_str());
        }
    }

    void arraysOfEveryKindLineUp()
    {
        const TestDatabase database(TestDatabase::Content::Empty);
        Connection connection = ownerOf(database);
        const std::vector<std::int64_t> longs{1, -2};
        const std::vector<std::int32_t> ints{3, 4};
        const std::vector<Uuid> ids{Uuid::next(), Uuid::next()};
        const Texts texts{"a", "b"};
        const std::vector<std::string_view> views{"c", "d"};
        const std::vector<bool> flags{true, false};
        const std::vector<Sha256> digests{sha256("1"), sha256("2")};
        const Texts blobs{std::string("\0\xFF", 2), ""};
        const std::vector<std::optional<std::int64_t>> maybe{std::nullopt, 9};
        const std::vector<std::optional<Uuid>> maybeIds{ids[0], std::nullopt};
        const Params params = Params()
                                  .add(longs)
                                  .add(ints)
                                  .add(ids)
                                  .add(texts)
                                  .add(views)
                                  .add(flags)
                                  .add(digests)
                                  .addByteaArray(blobs)
                                  .add(maybe)
                                  .add(maybeIds);
        const Result<Rows> rows = connection.run(
            {"test.arrays", "SELECT * FROM unnest($1::bigint[], $2::int[], $3::uuid[], $4::text[], $5::text[], "
                            "$6::boolean[], $7::bytea[], $8::bytea[], $9::bigint[], $10::uuid[])"},
            params);
        QVERIFY2(rows.ok(), rows.ok() ? "" : rows.error().detail.c_str());
        const Rows& got = rows.value();
        QCOMPARE(got.count(), 2);
        QCOMPARE(got.int64(1, 0), -2);
        QCOMPARE(got.int64(0, 1), 3);
        QVERIFY(got.uuid(1, 2) == ids[1]);
        QVERIFY(got.text(1, 3) == "b" && got.text(0, 4) == "c");
        QVERIFY(got.boolean(0, 5) && !got.boolean(1, 5));
        QVERIFY(got.bytes(1, 6) == std::string(digests[1].begin(), digests[1].end()));
        QVERIFY(got.bytes(0, 7) == blobs[0] && got.bytes(1, 7).empty());
        QVERIFY(got.isNull(0, 8) && got.int64(1, 8) == 9);
        QVERIFY(*got.optionalUuid(0, 9) == ids[0] && !got.optionalUuid(1, 9));
    }

    void anEmptyArrayMakesNoRow()
    {
        const TestDatabase database(TestDatabase::Content::Empty);
        Connection connection = ownerOf(database);
        const Params params = Params().add(Texts{}).add(std::vector<std::int64_t>{});
        const Result<Rows> rows = connection.run({"test.none", "SELECT * FROM unnest($1::text[], $2::bigint[])"},
                                                 params);
        QVERIFY(rows.ok());
        QCOMPARE(rows.value().count(), 0);
    }

    void aNulCharacterIsRefusedAndNamed()
    {
        const TestDatabase database(TestDatabase::Content::Empty);
        Connection connection = ownerOf(database);
        const Params params = Params().add("fine").add(Texts{"a", std::string("b\0c", 3)});
        const Result<Rows> rows = connection.run({"test.nul", "SELECT $1::text, $2::text[]"}, params);
        QVERIFY(!rows.ok());
        QCOMPARE(rows.error().code, ErrorCode::RequestInvalid);
        QVERIFY(rows.error().detail.find("parameter 2") != std::string::npos);
        QVERIFY(connection.healthy());
    }
};
TEKIL_TEST(ParamsTest)

class ConnectionTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everySessionIsSetUpTheSameAlsoAfterAReconnect()
    {
        const TestDatabase database(TestDatabase::Content::Empty);
        database.sql("ALTER ROLE tekil_owner SET synchronous_commit = off;"
                     "ALTER ROLE tekil_owner SET TimeZone = 'Asia/Tokyo'");
        Connection connection = ownerOf(database, 1234);
        for (int round = 0; round < 2; ++round) {
            const Result<Rows> rows = connection.exec(
                "SELECT current_setting('synchronous_commit'), current_setting('TimeZone'), "
                "current_setting('search_path'), current_setting('statement_timeout'), "
                "current_setting('client_encoding')");
            QVERIFY(rows.ok());
            QVERIFY(rows.value().text(0, 0) == "on");
            QVERIFY(rows.value().text(0, 1) == "UTC");
            QVERIFY(rows.value().text(0, 2) == "pg_catalog, pg_temp");
            QVERIFY(rows.value().text(0, 3) == "1234ms");
            QVERIFY(rows.value().text(0, 4) == "UTF8");
            QVERIFY(connection.reconnect().ok());
        }
        database.sql("ALTER ROLE tekil_owner RESET ALL");
    }

    void eachKindOfErrorIsToldApart()
    {
        const TestDatabase database(TestDatabase::Content::Empty);
        makeDeferredKey(database);
        Connection connection = ownerOf(database);
        const auto codeOf = [&connection](const char* text) {
            const Result<Rows> rows = connection.exec(text);
            return rows.ok() ? std::pair(ErrorCode::NotFound, std::string())
                             : std::pair(rows.error().code, rows.error().sqlState);
        };
        using Expected = std::pair<ErrorCode, std::string>;
        QVERIFY(codeOf("SELECT 1/0") == Expected(ErrorCode::ConstraintViolated, "22012"));
        QVERIFY(codeOf("INSERT INTO t.parent VALUES (1), (1)") == Expected(ErrorCode::ConstraintViolated, "23505"));
        QVERIFY(codeOf("DO $$BEGIN RAISE EXCEPTION 'no'; END$$") == Expected(ErrorCode::ConstraintViolated, "P0001"));
        QVERIFY(codeOf("SELECT * FROM pg_authid") == Expected(ErrorCode::PermissionDenied, "42501"));
        QVERIFY(codeOf("SELECT nothing") == Expected(ErrorCode::StatementFailed, "42703"));
        QVERIFY(codeOf("DO $$BEGIN RAISE EXCEPTION USING ERRCODE = '40P01'; END$$")
                == Expected(ErrorCode::SerializationFailed, "40P01"));
        QVERIFY(connection.healthy());
    }

    void aServerThatIsNotThereIsUnavailable()
    {
        const Result<Connection> connection = Connection::open("host=/nonexistent dbname=x user=y");
        QVERIFY(!connection.ok());
        QCOMPARE(connection.error().code, ErrorCode::DatabaseUnavailable);
    }

    void aTransactionThatIsNotCommittedLeavesNothing()
    {
        const TestDatabase database(TestDatabase::Content::Empty);
        makeDeferredKey(database);
        Connection connection = ownerOf(database);
        {
            Result<Transaction> transaction = Transaction::begin(connection);
            QVERIFY(transaction.ok());
            QVERIFY(transaction->exec("INSERT INTO t.parent VALUES (1)").ok());
        }
        QVERIFY(connection.healthy());
        QCOMPARE(database.sql("SELECT count(*) FROM t.parent"), std::string("0"));
    }

    void aCommitAfterAFailedStatementIsAnError()
    {
        const TestDatabase database(TestDatabase::Content::Empty);
        makeDeferredKey(database);
        Connection connection = ownerOf(database);
        Result<Transaction> transaction = Transaction::begin(connection);
        QVERIFY(transaction->exec("INSERT INTO t.parent VALUES (1)").ok());
        QVERIFY(!transaction->exec("SELECT 1/0").ok());
        const Result<void> committed = transaction->commit();
        QVERIFY(!committed.ok());
        QCOMPARE(committed.error().code, ErrorCode::StatementFailed);
        QCOMPARE(database.sql("SELECT count(*) FROM t.parent"), std::string("0"));
        QVERIFY(connection.healthy());
    }

    void aConstraintThatFailsAtCommitIsAnError()
    {
        const TestDatabase database(TestDatabase::Content::Empty);
        makeDeferredKey(database);
        Connection connection = ownerOf(database);
        Result<Transaction> transaction = Transaction::begin(connection);
        QVERIFY(transaction->run(kInsertChild).ok());
        const Result<void> committed = transaction->commit();
        QVERIFY(!committed.ok());
        QCOMPARE(committed.error().code, ErrorCode::ConstraintViolated);
        QCOMPARE(committed.error().sqlState, std::string("23503"));
        QCOMPARE(database.sql("SELECT count(*) FROM t.child"), std::string("0"));
    }

    void aStatementWhoseOwnCommitFailsIsAnErrorThoughItReturnedRows()
    {
        const TestDatabase database(TestDatabase::Content::Empty);
        makeDeferredKey(database);
        Connection connection = ownerOf(database);
        const Result<Rows> rows = connection.run(kInsertChild);
        QVERIFY(!rows.ok());
        QCOMPARE(rows.error().code, ErrorCode::ConstraintViolated);
        QCOMPARE(database.sql("SELECT count(*) FROM t.child"), std::string("0"));
    }

    void aCommitWithoutAnAnswerIsInDoubt()
    {
        const TestDatabase database(TestDatabase::Content::Empty);
        makeSlowCommit(database);
        Connection connection = ownerOf(database);
        const std::string pid = backendOf(connection);
        Result<Transaction> transaction = Transaction::begin(connection);
        QVERIFY(transaction->run(kInsertSlow, Params().add(1)).ok());
        std::future<void> killer = terminateWhenAsleep(database, pid);
        const Result<void> committed = transaction->commit();
        killer.get();
        QVERIFY(!committed.ok());
        QCOMPARE(committed.error().code, ErrorCode::CommitInDoubt);
        QVERIFY(!connection.healthy());
    }

    void aWritingStatementWithoutAnAnswerIsInDoubt()
    {
        const TestDatabase database(TestDatabase::Content::Empty);
        makeSlowCommit(database);
        Connection connection = ownerOf(database);
        std::future<void> killer = terminateWhenAsleep(database, backendOf(connection));
        const Result<Rows> rows = connection.run(kInsertSlow, Params().add(1));
        killer.get();
        QVERIFY(!rows.ok());
        QCOMPARE(rows.error().code, ErrorCode::CommitInDoubt);
    }

    void aReadingStatementWithoutAnAnswerIsMerelyUnavailable()
    {
        const TestDatabase database(TestDatabase::Content::Empty);
        Connection connection = ownerOf(database);
        std::future<void> killer = terminateWhenAsleep(database, backendOf(connection));
        const Result<Rows> rows = connection.run({"test.nap", "SELECT pg_sleep(30)"}, {}, Mode::Reads);
        killer.get();
        QVERIFY(!rows.ok());
        QCOMPARE(rows.error().code, ErrorCode::DatabaseUnavailable);
    }

    void aConnectionClosedWhileIdleIsNoDoubt()
    {
        const TestDatabase database(TestDatabase::Content::Empty);
        makeDeferredKey(database);
        Connection connection = ownerOf(database);
        const std::string pid = backendOf(connection);
        database.sql("SELECT pg_terminate_backend(" + pid + ", 5000)");
        const sql::Statement insert{"test.insert_parent", "INSERT INTO t.parent VALUES (1)"};
        const Result<Rows> rows = connection.run(insert);
        QVERIFY(!rows.ok());
        QCOMPARE(rows.error().code, ErrorCode::DatabaseUnavailable);
        QVERIFY(connection.reconnect().ok());
        QVERIFY(connection.run(insert).ok());
    }

    void aTransactionDoesNotOutliveItsSession()
    {
        const TestDatabase database(TestDatabase::Content::Empty);
        makeDeferredKey(database);
        Connection connection = ownerOf(database);
        Result<Transaction> transaction = Transaction::begin(connection);
        QVERIFY(transaction->exec("INSERT INTO t.parent VALUES (1)").ok());
        QVERIFY(connection.reconnect().ok());
        QVERIFY(!transaction->exec("INSERT INTO t.parent VALUES (2)").ok());
        const Result<void> committed = transaction->commit();
        QVERIFY(!committed.ok());
        QCOMPARE(committed.error().code, ErrorCode::DatabaseUnavailable);
        QCOMPARE(database.sql("SELECT count(*) FROM t.parent"), std::string("0"));
    }

    void aServerThatFallsSilentCountsAsLost()
    {
        const TestDatabase database(TestDatabase::Content::Empty);
        makeDeferredKey(database);
        Connection connection = ownerOf(database, 200);
        const pid_t pid = std::stoi(backendOf(connection));
        ::kill(pid, SIGSTOP);
        const Result<Rows> rows = connection.run(kInsertChild);
        ::kill(pid, SIGCONT);
        QVERIFY(!rows.ok());
        QCOMPARE(rows.error().code, ErrorCode::DatabaseUnavailable); // it was lost while the statement was prepared
        QVERIFY(!connection.healthy());
    }

    void cancelEndsAStatementFromAnotherThread()
    {
        const TestDatabase database(TestDatabase::Content::Empty);
        Connection connection = ownerOf(database);
        const std::string pid = backendOf(connection);
        std::thread canceller([&database, &connection, &pid] {
            waitUntilAsleep(database, pid);
            connection.cancel();
        });
        const Result<Rows> rows = connection.exec("SELECT pg_sleep(30)");
        canceller.join();
        QVERIFY(!rows.ok());
        QCOMPARE(rows.error().sqlState, std::string("57014"));
        QVERIFY(connection.healthy());
    }
};
TEKIL_TEST(ConnectionTest)

class ListenerTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aNotificationEndsTheWait()
    {
        const TestDatabase database(TestDatabase::Content::Empty);
        Result<Listener> listener = Listener::open(database.dsn("tekil_owner"), {"Odd \"name", "other"});
        QVERIFY(listener.ok());
        database.sql("NOTIFY \"Odd \"\"name\", 'hello'");
        const auto arrived = listener->wait(std::chrono::seconds(10));
        QVERIFY(arrived.ok());
        QCOMPARE(arrived.value().size(), std::size_t{1});
        QCOMPARE(arrived.value()[0].payload, std::string("hello"));
    }

    void aWaitEndsByTimeOutAndByWake()
    {
        const TestDatabase database(TestDatabase::Content::Empty);
        Result<Listener> listener = Listener::open(database.dsn("tekil_owner"), {"x"});
        QVERIFY(listener.ok());
        QVERIFY(listener->wait(std::chrono::milliseconds(20)).value().empty());
        std::thread waker([&listener] { listener->wake(); });
        QVERIFY(listener->wait(std::chrono::seconds(60)).value().empty());
        waker.join();
    }

    void aLostConnectionIsToldAndCanBeMadeAnew()
    {
        const TestDatabase database(TestDatabase::Content::Empty);
        Result<Listener> listener = Listener::open(database.dsn("tekil_owner"), {"x"});
        QVERIFY(listener.ok());
        database.sql("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = 'tekil_owner'");
        const auto arrived = listener->wait(std::chrono::seconds(10));
        QVERIFY(!arrived.ok());
        QCOMPARE(arrived.error().code, ErrorCode::DatabaseUnavailable);
        QVERIFY(listener->reconnect().ok());
        database.sql("NOTIFY x");
        QCOMPARE(listener->wait(std::chrono::seconds(10)).value().size(), std::size_t{1});
    }
};
TEKIL_TEST(ListenerTest)

#include "connection_test.moc"
