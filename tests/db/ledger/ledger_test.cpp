// The books: append-only for everybody, balanced by the statement that writes them, and funded once for each id.
#include "tests/db/payments/books.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <future>

using namespace tekil;
using namespace tekil::test;

namespace {

std::string entry(const char* line, std::int64_t account, const char* amount, const char* currency = "TRY")
{
    return std::string("('00000000-0000-4000-8000-000000000001', ") + line + ", " + std::to_string(account) + ", "
           + amount + ", '" + currency + "', now())";
}

const std::string kInsertEntries
    = "insert into tekil.ledger_entry (transaction_id, line, account_id, amount_minor, currency, posted_at) values ";

// The error of a statement, "" where it was done.
std::string refusalOf(db::Connection& connection, const std::string& sql)
{
    const auto done = connection.exec(sql);
    return done ? "" : done.error().sqlState + " " + done.error().detail;
}

} // namespace

class LedgerTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void historyIsNeitherChangedNorDeletedNorTruncatedByAnybody_data();
    void historyIsNeitherChangedNorDeletedNorTruncatedByAnybody();
    void entriesThatDoNotBalanceAreRefused();
    void entriesThatBalanceOnlyAcrossCurrenciesAreRefused();
    void entriesThatComeLaterAreRefused();
    void anEntryInAnotherCurrencyThanItsAccountIsRefused();
    void theEngineMayDoNothingButItsWork_data();
    void theEngineMayDoNothingButItsWork();
    void fundingWithTheSameIdMovesMoneyOnce();
    void fundingThatCannotBeIsRefused();
    void twentyCallsWithOneIdAtOnceMoveMoneyOnce();
    void aHundredFirstCreditsAtOnceAreAllApplied();
    void totalsBeyondADoubleAreExact();
};

void LedgerTest::historyIsNeitherChangedNorDeletedNorTruncatedByAnybody_data()
{
    QTest::addColumn<QByteArray>("table");
    for (const char* table : {"ledger_transaction", "ledger_entry", "key_event", "payment_state_change"})
        QTest::newRow(table) << QByteArray(table);
}

void LedgerTest::historyIsNeitherChangedNorDeletedNorTruncatedByAnybody()
{
    QFETCH(QByteArray, table);
    Books books(100'000);
    const Wanted paid = books.sent("1", 10'000);
    QCOMPARE(books.finish({.id = paid.id, .proof = "captured"}), std::string("done"));
    const std::string name = "tekil." + table.toStdString();
    const std::string before = books.sql("select string_agg(t::text, ';' order by t::text) from " + name + " t");
    QVERIFY(!before.empty());
    const std::string column = table.startsWith("ledger") ? "posted_at" : "at";
    for (const char* user : {"tekil_owner", "postgres", "tekil_engine"}) {
        db::Connection connection = connectTo(books.database, user);
        const std::string wanted = std::string(user) == "tekil_engine" ? "42501" : "P0001";
        for (const std::string& sql : {"update " + name + " set " + column + " = now()", "delete from " + name,
                                       "delete from " + name + " where false", "truncate " + name + " cascade"}) {
            const std::string refusal = refusalOf(connection, sql);
            QVERIFY2(refusal.starts_with(wanted), (std::string(user) + ": " + sql + ": " + refusal).c_str());
        }
    }
    QCOMPARE(books.sql("select string_agg(t::text, ';' order by t::text) from " + name + " t"), before);
}

void LedgerTest::entriesThatDoNotBalanceAreRefused()
{
    Books books(100'000);
    books.sql("insert into tekil.ledger_transaction values ('00000000-0000-4000-8000-000000000001', 'funding', null, "
              "null, 'test', now())");
    const std::int64_t other = must(
        ledger::openAccount(books.owner, must(Currency::fromCode("TRY")), {}, ledger::AccountKind::Customer));
    QVERIFY(refusalOf(books.engine, kInsertEntries + entry("1", books.account, "-100") + "," + entry("2", other, "99"))
                .starts_with("P0001"));
    QVERIFY(refusalOf(books.engine, kInsertEntries + entry("1", books.account, "100")).starts_with("P0001"));
    QVERIFY(refusalOf(books.engine, kInsertEntries + entry("1", books.account, "0")).starts_with("23514"));
    QCOMPARE(refusalOf(books.engine, kInsertEntries + entry("1", books.account, "-100") + "," + entry("2", other, "60")
                                         + "," + entry("3", other, "40")),
             std::string());
}

void LedgerTest::entriesThatBalanceOnlyAcrossCurrenciesAreRefused()
{
    Books books(100'000);
    books.sql("insert into tekil.ledger_transaction values ('00000000-0000-4000-8000-000000000001', 'funding', null, "
              "null, 'test', now())");
    const std::int64_t euro = must(
        ledger::openAccount(books.owner, must(Currency::fromCode("EUR")), {}, ledger::AccountKind::Customer));
    const std::string refusal = refusalOf(books.engine, kInsertEntries + entry("1", books.account, "-100") + ","
                                                            + entry("2", euro, "100", "EUR"));
    QVERIFY2(refusal.find("does not balance") != std::string::npos, refusal.c_str());
}

void LedgerTest::entriesThatComeLaterAreRefused()
{
    Books books(100'000);
    books.sql("insert into tekil.ledger_transaction values ('00000000-0000-4000-8000-000000000001', 'funding', null, "
              "null, 'test', now())");
    const std::int64_t other = must(
        ledger::openAccount(books.owner, must(Currency::fromCode("TRY")), {}, ledger::AccountKind::Customer));
    QCOMPARE(
        refusalOf(books.engine, kInsertEntries + entry("1", books.account, "-100") + "," + entry("2", other, "100")),
        std::string());
    const std::string refusal = refusalOf(books.engine, kInsertEntries + entry("3", books.account, "-7") + ","
                                                            + entry("4", other, "7"));
    QVERIFY2(refusal.find("already has its entries") != std::string::npos, refusal.c_str());
}

void LedgerTest::anEntryInAnotherCurrencyThanItsAccountIsRefused()
{
    Books books(100'000);
    books.sql("insert into tekil.ledger_transaction values ('00000000-0000-4000-8000-000000000001', 'funding', null, "
              "null, 'test', now())");
    const std::int64_t other = must(
        ledger::openAccount(books.owner, must(Currency::fromCode("TRY")), {}, ledger::AccountKind::Customer));
    QVERIFY(refusalOf(books.engine,
                      kInsertEntries + entry("1", books.account, "-100", "EUR") + "," + entry("2", other, "100", "EUR"))
                .starts_with("23503"));
}

void LedgerTest::theEngineMayDoNothingButItsWork_data()
{
    QTest::addColumn<QByteArray>("sql");
    for (const char* sql :
         {"delete from tekil.payment",
          "delete from tekil.balance_reservation",
          "delete from tekil.account",
          "delete from tekil.provider_attempt",
          "delete from tekil.outbox_message",
          "truncate tekil.payment cascade",
          "truncate tekil.idempotency_record",
          "truncate tekil.account cascade",
          "update tekil.currency set exponent = 0",
          "insert into tekil.currency values ('XXX', 2)",
          "insert into tekil.payment_transition values ('Completed', 'Failed')",
          "update tekil.payment_status set is_end = false",
          "insert into tekil.key_event_kind values ('x', 'x')",
          "insert into tekil.operator (login_oid, login, role) values (1, 'eve', 'finance')",
          "update tekil.operator set role = 'admin'",
          "alter table tekil.ledger_entry disable trigger all",
          "drop trigger append_only on tekil.ledger_entry",
          "set session_replication_role = replica",
          "drop table tekil.ledger_entry",
          "create table tekil.mine (a int)",
          "create or replace function tekil.verify_balances() returns table (subject text, problem text) "
          "language sql as $$ select 'x', 'x' where false $$",
          "create role eve login",
          "set role tekil_owner",
          "set role tekil_login_maker",
          "alter role tekil_engine superuser",
          "grant tekil_owner to tekil_engine",
          "select tekil.make_operator('eve', 'finance', 'SCRAM-SHA-256$4096:x$x:x')"})
        QTest::newRow(sql) << QByteArray(sql);
}

void LedgerTest::theEngineMayDoNothingButItsWork()
{
    QFETCH(QByteArray, sql);
    static const TestDatabase database;
    db::Connection engine = connectTo(database);
    const auto done = engine.exec(sql.toStdString());
    QVERIFY(!done.ok());
    QVERIFY2(done.error().sqlState == "42501", done.error().detail.c_str());
}

void LedgerTest::fundingWithTheSameIdMovesMoneyOnce()
{
    Books books(0);
    const Uuid id = Uuid::next();
    for (int i = 0; i < 3; ++i)
        QVERIFY(ledger::fundAccount(books.owner, id, books.account, 5'000, "desk").ok());
    QCOMPARE(books.balance(), std::string("5000/0"));
    QCOMPARE(ledger::fundAccount(books.owner, id, books.account, 5'001, "desk").error().code, ErrorCode::AlreadyExists);
    const std::int64_t other = must(
        ledger::openAccount(books.owner, must(Currency::fromCode("TRY")), {}, ledger::AccountKind::Customer));
    QCOMPARE(ledger::fundAccount(books.owner, id, other, 5'000, "desk").error().code, ErrorCode::AlreadyExists);
    const Wanted paid = books.sent("1", 1'000);
    QCOMPARE(books.finish({.id = paid.id, .proof = "captured"}), std::string("done"));
    QCOMPARE(ledger::fundAccount(books.owner, paid.id, books.account, 1'000, "desk").error().code,
             ErrorCode::AlreadyExists);
    QCOMPARE(books.balance(), std::string("4000/0"));
    QCOMPARE(books.sql("select available_minor from tekil.account where purpose = 'funding'"), std::string("5000"));
    QCOMPARE(books.judge(), std::string());
}

void LedgerTest::fundingThatCannotBeIsRefused()
{
    Books books(10);
    const auto codeOf = [&books](std::int64_t account, std::int64_t amount) {
        const auto done = ledger::fundAccount(books.owner, Uuid::next(), account, amount, "desk");
        return done ? "" : std::string(nameOf(done.error().code));
    };
    QCOMPARE(codeOf(books.account, 0), std::string("amount-invalid"));
    QCOMPARE(codeOf(books.account, -1), std::string("amount-invalid"));
    QCOMPARE(codeOf(books.account, kMaxAmountMinor + 1), std::string("amount-invalid"));
    QCOMPARE(codeOf(999'999, 1), std::string("not-found"));
    QCOMPARE(codeOf(std::atoll(books.sql("select account_id from tekil.account where kind = 'system'").c_str()), 1),
             std::string("not-found"));
    QCOMPARE(books.balance(), std::string("10/0"));
    books.sql("update tekil.account set status = 'closed' where account_id = " + std::to_string(books.account));
    QVERIFY(!codeOf(books.account, 1).empty());
    QCOMPARE(books.balance(), std::string("10/0"));
    QCOMPARE(books.sql("select count(*) from tekil.ledger_transaction"), std::string("1"));
    QCOMPARE(books.judge(), std::string());
}

void LedgerTest::twentyCallsWithOneIdAtOnceMoveMoneyOnce()
{
    Books books(0);
    const Uuid id = Uuid::next();
    std::vector<std::future<bool>> running;
    for (int i = 0; i < 20; ++i)
        running.push_back(std::async(std::launch::async, [&books, id] {
            db::Connection own = connectTo(books.database, "tekil_owner");
            return ledger::fundAccount(own, id, books.account, 700, "desk").ok();
        }));
    for (auto& each : running)
        QVERIFY(each.get());
    QCOMPARE(books.balance(), std::string("700/0"));
    QCOMPARE(books.judge(), std::string());
}

// B85: they open the funding account, and none is taken for a duplicate of another.
void LedgerTest::aHundredFirstCreditsAtOnceAreAllApplied()
{
    Books books(0);
    std::vector<std::future<int>> running;
    for (int thread = 0; thread < 50; ++thread)
        running.push_back(std::async(std::launch::async, [&books, thread] {
            db::Connection own = connectTo(books.database, "tekil_owner");
            int done = 0;
            for (int i = 0; i < 2; ++i)
                done += ledger::fundAccount(own, Uuid::next(), books.account, 100 + thread, "desk").ok() ? 1 : 0;
            return done;
        }));
    int done = 0;
    for (auto& each : running)
        done += each.get();
    QCOMPARE(done, 100);
    QCOMPARE(books.balance(), std::string("12450/0")); // twice 100 + 101 + … + 149
    QCOMPARE(books.sql("select count(*) from tekil.account where purpose = 'funding'"), std::string("1"));
    QCOMPARE(books.judge(), std::string());
}

// B70: sums above 2^53 keep their last unit.
void LedgerTest::totalsBeyondADoubleAreExact()
{
    Books books(0);
    for (int i = 0; i < 10; ++i)
        QVERIFY(ledger::fundAccount(books.owner, Uuid::next(), books.account, kMaxAmountMinor - i, "desk").ok());
    QCOMPARE(books.balance(), std::string("9999999999999955/0"));
    QVERIFY(ledger::fundAccount(books.owner, Uuid::next(), books.account, 38, "desk").ok());
    QCOMPARE(books.balance(), std::string("9999999999999993/0"));
    QCOMPARE(books.judge(), std::string());
    const auto checks = must(ledger::verify(books.engine));
    for (const auto& check : checks)
        QVERIFY2(check.problems.empty(), check.name.c_str());
}

TEKIL_TEST(LedgerTest)
#include "ledger_test.moc"
