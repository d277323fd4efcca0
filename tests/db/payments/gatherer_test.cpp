// The gatherer: batches follow the load, a bad or blocked row is alone with its trouble, locks never cross, and what
// was committed without an answer is done and told once. The pipeline runs in this process against a real server and
// bank.
#include "tests/db/payments/answer_cutter.h"
#include "tests/db/payments/pipeline_desk.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <random>
#include <thread>

using namespace tekil;
using namespace tekil::test;

namespace {

using Kind = Answer::Kind;

std::vector<Order> orders(int count, const std::string& name, std::int64_t amountMinor = 100)
{
    std::vector<Order> all;
    for (int i = 0; i < count; ++i)
        all.push_back({.invoice = name + std::to_string(i), .amountMinor = amountMinor});
    return all;
}

int paidOf(const std::vector<Answer>& answers)
{
    return static_cast<int>(std::count_if(answers.begin(), answers.end(), [](const Answer& answer) {
        return answer.kind == Kind::Ended && answer.status == 201;
    }));
}

// An account's row, held by somebody else until this ends.
class HeldAccount {
public:
    explicit HeldAccount(Desk& desk) : HeldAccount(desk, desk.books.account) {}
    HeldAccount(Desk& desk, std::int64_t account)
        : m_connection(connectTo(desk.books.database, "tekil_owner")),
          m_holding(must(db::Transaction::begin(m_connection)))
    {
        must(m_holding.exec("select from tekil.account where account_id = " + std::to_string(account) + " for update"));
    }
    void letGo() { m_holding.rollback(); }

private:
    db::Connection m_connection;
    db::Transaction m_holding;
};

bool someLaneWaits(const Desk& desk)
{
    return desk.becomes("select count(*) > 0 from pg_stat_activity where datname = current_database() and "
                        "application_name = 'tekil accept' and wait_event_type = 'Lock'",
                        "t");
}

std::string deadlocks(const Desk& desk)
{
    return desk.books.sql("select deadlocks from pg_stat_database where datname = current_database()");
}

} // namespace

class GathererTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aLonePaymentIsABatchOfItsOwn();
    void whatGathersWhileABatchRunsIsTheNextBatch();
    void aBatchReadsWhatItNeedsHoweverSmallTheTablesWere();
    void aHundredPaymentsAtOnceOnOneAccountAllSucceed();
    void crossingAccountsOfThreeEnginesNeverDeadlock();
    void batchesInOppositeOrderNeverDeadlock();
    void aBadRowAloneIsRefusedBeforeAccept_data();
    void aBadRowAloneIsRefusedBeforeAccept();
    void aBadRowAloneIsUnknownAfterItsAnswer_data();
    void aBadRowAloneIsUnknownAfterItsAnswer();
    void whatIsInTheWayIsTriedAgain_data();
    void whatIsInTheWayIsTriedAgain();
    void whatStaysInTheWayIsRefusedAndItsKeyRunsLater_data();
    void whatStaysInTheWayIsRefusedAndItsKeyRunsLater();
    void anAnswerIsKeptWhileItCannotBeBooked();
    void aRowThatStaysLockedHoldsNoOtherBack();
    void noErrorOfTheDatabaseIsInsufficientFunds();
    void aCommitWithoutAnAnswerIsDoneAndToldOnce_data();
    void aCommitWithoutAnAnswerIsDoneAndToldOnce();
    void aLostLeaseLeavesTheRestOfItsBatch();
};

void GathererTest::aLonePaymentIsABatchOfItsOwn()
{
    Desk desk(100'000);
    for (const Order& order : orders(6, "lone"))
        QCOMPARE(desk.till->pay(order).status, 201);
    for (const char* kind : {"claimed", "accepted", "attempt", "answer"})
        QCOMPARE(desk.batches(kind), 6);
    QCOMPARE(desk.books.judge(), std::string());
}

void GathererTest::whatGathersWhileABatchRunsIsTheNextBatch()
{
    Desk desk(100'000);
    HeldAccount held(desk);
    auto first = desk.till->submit({.invoice = "first"});
    QVERIFY(someLaneWaits(desk));
    std::vector<std::future<Answer>> rest;
    for (const Order& order : orders(60, "rest"))
        rest.push_back(desk.till->submit(order));
    QVERIFY(desk.becomes("select count(*) from tekil.key_event where kind = 'claimed'", "61"));
    held.letGo();
    QCOMPARE(first.get().status, 201);
    for (auto& one : rest)
        QCOMPARE(one.get().status, 201);
    QCOMPARE(desk.batches("accepted"), 2);
    QCOMPARE(desk.books.judge(), std::string());
}

// A statement that was planned for tables with one row must not read them whole for each row of a batch later on.
void GathererTest::aBatchReadsWhatItNeedsHoweverSmallTheTablesWere()
{
    constexpr int kPayments = 600;
    Desk desk(10'000'000);
    QCOMPARE(desk.till->pay({.invoice = "the first"}).status, 201);
    desk.books.sql("analyze");
    QCOMPARE(desk.till->pay({.invoice = "planned now"}).status, 201);
    for (int i = 0; i < kPayments / 6; ++i)
        QCOMPARE(paidOf(desk.till->payAtOnce(orders(6, std::to_string(i) + "-"))), 6);
    desk.till.reset(); // its sessions report what they read when they end
    QVERIFY(desk.becomes("select count(*) from pg_stat_activity where datname = current_database() and "
                         "application_name like 'tekil %'",
                         "0"));
    for (const char* table : {"idempotency_record", "payment", "balance_reservation", "provider_attempt"}) {
        const std::int64_t reads = std::stoll(desk.books.sql(
            std::string("select coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) from pg_stat_user_tables "
                        "where relid = 'tekil.")
            + table + "'::regclass"));
        QVERIFY2(reads < kPayments * 60, (std::string(table) + ": " + std::to_string(reads)).c_str());
    }
}

// B27
void GathererTest::aHundredPaymentsAtOnceOnOneAccountAllSucceed()
{
    Desk desk(10'000);
    Till second(desk.books, desk.books.database.dsn());
    std::vector<std::future<Answer>> waiting;
    for (int i = 0; i < 100; ++i)
        waiting.push_back((i % 2 == 0 ? *desk.till : second).submit({.invoice = std::to_string(i)}));
    for (auto& one : waiting)
        QCOMPARE(one.get().status, 201);
    QCOMPARE(desk.books.balance(), std::string("0/0"));
    QCOMPARE(desk.till->pay({.invoice = "one more"}).status, 402);
    QCOMPARE(desk.books.judge(), std::string());
}

// B86
void GathererTest::crossingAccountsOfThreeEnginesNeverDeadlock()
{
    constexpr int kAccounts = 12, kEach = 150;
    Desk desk(1'000'000);
    std::vector<std::int64_t> accounts{desk.books.account};
    while (accounts.size() < kAccounts)
        accounts.push_back(desk.account(1'000'000));
    auto second = std::make_unique<Till>(desk.books, desk.books.database.dsn());
    auto third = std::make_unique<Till>(desk.books, desk.books.database.dsn());
    std::mt19937 random(7);
    std::vector<std::future<Answer>> waiting;
    for (int i = 0; i < kEach; ++i)
        for (Till* till : {desk.till.get(), second.get(), third.get()})
            waiting.push_back(till->submit({.invoice = std::to_string(waiting.size()),
                                            .amountMinor = 1 + static_cast<std::int64_t>(random() % 500),
                                            .account = accounts[random() % kAccounts]}));
    // People's credits cross them meanwhile, in the order in which they come.
    for (int i = 0; i < 60; ++i)
        QVERIFY(ledger::fundAccount(desk.books.owner, Uuid::next(), accounts[random() % kAccounts], 5, "test").ok());
    for (auto& one : waiting)
        QCOMPARE(one.get().status, 201);
    for (auto* till : {&desk.till, &second, &third})
        till->reset();
    QVERIFY(desk.becomes("select count(*) from pg_stat_activity where datname = current_database() and "
                         "application_name like 'tekil %'",
                         "0"));
    QCOMPARE(deadlocks(desk), std::string("0"));
    QCOMPARE(desk.books.sql("select sum(case normal_side when 'credit' then 1 else -1 end * (available_minor + "
                            "reserved_minor)) from tekil.account"),
             std::string("0"));
    QCOMPARE(desk.books.judge(), std::string());
}

// The same operations by two connections, each in the other's opposite order.
void GathererTest::batchesInOppositeOrderNeverDeadlock()
{
    Books books(1'000'000);
    for (int round = 0; round < 12; ++round) {
        std::vector<Wanted> batch;
        for (int i = 0; i < 60; ++i)
            batch.push_back({.key = std::to_string(round) + "/" + std::to_string((i * 37) % 60),
                             .invoice = std::to_string(round) + "." + std::to_string(i),
                             .amountMinor = 10});
        QCOMPARE(books.claim(batch), 60);
        std::vector<Wanted> backwards(batch.rbegin(), batch.rend());
        const auto run = [&books](const std::vector<Wanted>& some) {
            db::Connection own = connectTo(books.database);
            return books.acceptWith(own, some);
        };
        auto one = std::async(std::launch::async, run, batch);
        auto other = std::async(std::launch::async, run, backwards);
        one.get();
        other.get();
        // Whoever came second may be told "again": asked again, both tell the same.
        QVERIFY(books.accept(batch) == std::vector<std::string>(60, "accepted"));

        const auto end = [&books](const std::vector<Wanted>& some) {
            db::Connection own = connectTo(books.database);
            std::vector<Ending> endings;
            for (const Wanted& wanted : some)
                endings.push_back({.id = wanted.id, .proof = "captured", .attempt = {}});
            return books.finishAll(own, endings);
        };
        auto first = std::async(std::launch::async, end, batch);
        auto last = std::async(std::launch::async, end, backwards);
        const std::vector<std::string> a = first.get(), b = last.get();
        QCOMPARE(std::count(a.begin(), a.end(), "done") + std::count(b.begin(), b.end(), "done"), 60);
    }
    QCOMPARE(books.balance(), std::string("992800/0"));
    QCOMPARE(books.judge(), std::string());
}

void GathererTest::aBadRowAloneIsRefusedBeforeAccept_data()
{
    QTest::addColumn<QString>("state");
    for (const char* state : {"22012", "23514", "P0001"})
        QTest::newRow(state) << state;
}

void GathererTest::aBadRowAloneIsRefusedBeforeAccept()
{
    QFETCH(const QString, state);
    Desk desk(100'000);
    desk.breakTable("tekil.payment", "before insert",
                    "if new.invoice_id = 'bad' then raise 'no' using errcode = '" + state.toStdString() + "'; end if");
    HeldAccount held(desk); // so that they gather
    auto first = desk.till->submit({.invoice = "first"});
    QVERIFY(someLaneWaits(desk));
    std::vector<std::future<Answer>> rest;
    for (const Order& order : orders(20, "good"))
        rest.push_back(desk.till->submit(order));
    auto bad = desk.till->submit({.invoice = "bad"});
    for (const Order& order : orders(20, "late"))
        rest.push_back(desk.till->submit(order));
    QVERIFY(desk.becomes("select count(*) from tekil.key_event where kind = 'claimed'", "42"));
    held.letGo();
    QCOMPARE(first.get().status, 201);
    for (auto& one : rest)
        QCOMPARE(one.get().status, 201);
    const Answer refused = bad.get();
    QVERIFY(refused.kind == Kind::Refused && refused.error.code == ErrorCode::RequestInvalid);
    QVERIFY(desk.becomes("select count(*) from tekil.idempotency_record where invoice_id = 'bad'", "0"));
    QCOMPARE(desk.books.sql("select facts->>'code' from tekil.key_event where kind = 'refused'"),
             std::string("cannot_be_booked"));
    QCOMPARE(desk.books.judge(), std::string());
}

void GathererTest::aBadRowAloneIsUnknownAfterItsAnswer_data()
{
    aBadRowAloneIsRefusedBeforeAccept_data();
}

void GathererTest::aBadRowAloneIsUnknownAfterItsAnswer()
{
    QFETCH(const QString, state);
    Desk desk(100'000);
    desk.breakTable("tekil.ledger_entry", "before insert",
                    "if abs(new.amount_minor) = 666 then raise 'no' using errcode = '" + state.toStdString()
                        + "'; end if");
    QVERIFY(desk.bank->setScript(R"({"rules":[{"do":"delay","ms":300}]})").ok()); // their answers come together
    std::vector<Order> all = orders(30, "good");
    all.insert(all.begin() + 11, {.invoice = "bad", .amountMinor = 666});
    const std::vector<Answer> answers = desk.till->payAtOnce(all);
    QCOMPARE(paidOf(answers), 30);
    QVERIFY(answers[11].kind == Kind::Pending);
    QCOMPARE(desk.books.sql("select status || ' ' || unknown_reason from tekil.payment where invoice_id = 'bad'"),
             std::string("Unknown posting_failed"));
    QCOMPARE(desk.books.balance(), std::string("96334/666"));
    QCOMPARE(desk.bank->counts().booked, std::uint64_t(31));
    QCOMPARE(desk.books.judge(), std::string());
}

void GathererTest::whatIsInTheWayIsTriedAgain_data()
{
    QTest::addColumn<QString>("state");
    QTest::addColumn<QString>("table");
    for (const char* state : {"40001", "40P01", "55P03", "57014"})
        for (const char* table : {"idempotency_record", "payment", "provider_attempt", "ledger_transaction"})
            QTest::addRow("%s %s", state, table) << state << QString::fromUtf8(("tekil." + std::string(table)).c_str());
}

// One table a step: claim, accept, attempt, finish.
void GathererTest::whatIsInTheWayIsTriedAgain()
{
    QFETCH(const QString, state);
    QFETCH(const QString, table);
    Desk desk(100'000);
    desk.breakTable(table.toStdString(), "before insert",
                    "if nextval('fault.hits') <= 2 then raise 'busy' using errcode = '" + state.toStdString()
                        + "'; end if");
    QCOMPARE(desk.till->pay({.invoice = "1"}).status, 201);
    QCOMPARE(desk.till->pipeline().conflicts(), std::uint64_t(2));
    QCOMPARE(desk.bank->counts().booked, std::uint64_t(1));
    QCOMPARE(desk.books.judge(), std::string());
}

void GathererTest::whatStaysInTheWayIsRefusedAndItsKeyRunsLater_data()
{
    QTest::addColumn<QString>("table");
    QTest::newRow("claim") << "tekil.idempotency_record";
    QTest::newRow("accept") << "tekil.account";
}

void GathererTest::whatStaysInTheWayIsRefusedAndItsKeyRunsLater()
{
    QFETCH(const QString, table);
    Desk desk(100'000);
    QCOMPARE(desk.till->pay({.invoice = "opens the collection account"}).status, 201);
    desk.breakTable(table.toStdString(), "before insert or update",
                    "perform nextval('fault.hits'); raise 'busy' using errcode = '40001'");
    const Answer refused = desk.till->pay({.invoice = "1"});
    QVERIFY(refused.kind == Kind::Refused);
    QVERIFY(refused.error.code == ErrorCode::SerializationFailed && retryOf(refused.error.code) == Retry::Safe);
    const std::int64_t tries = std::stoll(desk.books.sql("select last_value from fault.hits"));
    QVERIFY2(tries > 2 && tries < 20, std::to_string(tries).c_str());
    QCOMPARE(desk.books.sql("select count(*) from tekil.payment where status = 'Failed'"), std::string("0"));
    QVERIFY(desk.becomes("select count(*) from tekil.idempotency_record where status = 'Processing'", "0"));
    desk.mendTable(table.toStdString());
    QCOMPARE(desk.till->pay({.invoice = "1"}).status, 201);
    QCOMPARE(desk.bank->counts().booked, std::uint64_t(2));
    QCOMPARE(desk.books.judge(), std::string());
}

// The bank has spoken; that nobody could write it down for long changes nothing of what it said.
void GathererTest::anAnswerIsKeptWhileItCannotBeBooked()
{
    Desk desk(100'000);
    desk.breakTable("tekil.ledger_transaction", "before insert",
                    "perform nextval('fault.hits'); raise 'busy' using errcode = '40P01'");
    auto waiting = desk.till->submit({.invoice = "1"});
    QVERIFY(waiting.get().kind == Kind::Pending);
    QVERIFY(desk.books.statusOf(Uuid::fromText(desk.books.sql("select operation_id from tekil.payment")).value())
            == "Processing");
    desk.mendTable("tekil.ledger_transaction");
    QVERIFY(desk.becomes("select status from tekil.payment", "Completed"));
    QCOMPARE(desk.bank->counts().requests, std::uint64_t(1));
    QCOMPARE(desk.books.judge(), std::string());
}

void GathererTest::aRowThatStaysLockedHoldsNoOtherBack()
{
    Desk desk(100'000);
    const std::int64_t other = desk.account(100'000);
    HeldAccount held(desk, other);
    auto blocked = desk.till->submit({.invoice = "blocked", .account = other});
    QVERIFY(someLaneWaits(desk));
    std::vector<std::future<Answer>> rest;
    for (const Order& order : orders(8, "free"))
        rest.push_back(desk.till->submit(order));
    auto blockedToo = desk.till->submit({.invoice = "blocked too", .account = other});
    for (auto& one : rest)
        QCOMPARE(one.get().status, 201); // while the account is still held
    held.letGo();
    for (auto* one : {&blocked, &blockedToo}) {
        const Answer answer = one->get();
        QVERIFY(answer.status == 201 || answer.error.code == ErrorCode::SerializationFailed);
    }
    QCOMPARE(desk.books.sql("select count(*) from tekil.payment where status = 'Failed'"), std::string("0"));
    QCOMPARE(desk.books.judge(), std::string());
}

// B28
void GathererTest::noErrorOfTheDatabaseIsInsufficientFunds()
{
    Desk desk(1'000'000);
    desk.breakTable(
        "tekil.account", "before update",
        "if nextval('fault.hits') % 3 = 0 then case currval('fault.hits') % 4 "
        "when 0 then raise 'busy' using errcode = '40001'; when 1 then raise 'busy' using errcode = '40P01';"
        "when 2 then raise 'busy' using errcode = '55P03'; else raise 'busy' using errcode = '57014';"
        "end case; end if");
    const std::vector<Answer> answers = desk.till->payAtOnce(orders(200, "debit", 1));
    int paid = 0;
    for (const Answer& answer : answers) {
        QVERIFY2(answer.status == 201 || answer.kind == Kind::Pending
                     || (answer.kind == Kind::Refused && retryOf(answer.error.code) == Retry::Safe),
                 answer.body.c_str());
        paid += answer.kind == Kind::Refused ? 0 : 1;
    }
    QVERIFY(desk.till->pipeline().conflicts() > 0);
    QVERIFY(desk.becomes("select count(*) from tekil.payment where status = 'Completed'", std::to_string(paid)));
    QCOMPARE(desk.books.sql("select count(*) from tekil.payment where status <> 'Completed'"), std::string("0"));
    QCOMPARE(desk.books.balance(), std::to_string(1'000'000 - paid) + "/0");
    QCOMPARE(desk.books.judge(), std::string());
}

void GathererTest::aCommitWithoutAnAnswerIsDoneAndToldOnce_data()
{
    QTest::addColumn<QString>("statement");
    for (const auto& statement :
         {sql::payments::claim, sql::payments::accept, sql::payments::openAttempts, sql::payments::finish})
        QTest::newRow(std::string(statement.name).c_str()) << QString::fromStdString(std::string(statement.name));
}

void GathererTest::aCommitWithoutAnAnswerIsDoneAndToldOnce()
{
    QFETCH(const QString, statement);
    AnswerCutter cutter(TestCluster::instance().socketDirectory());
    Desk desk(100'000);
    desk.till = std::make_unique<Till>(
        desk.books, "host=" + cutter.directory() + " port=5432 user=tekil_engine dbname=" + desk.books.database.name());
    cutter.arm(statement.toStdString());
    const Answer answer = desk.till->pay({.invoice = "1"});
    QCOMPARE(cutter.cuts(), 1);
    QCOMPARE(answer.status, 201);
    QVERIFY(!answer.replayed);
    QCOMPARE(desk.bank->counts().requests, std::uint64_t(1));
    QCOMPARE(desk.books.sql("select string_agg(kind, ' ' order by event_id) from tekil.key_event"),
             std::string("claimed accepted attempt answer"));
    QCOMPARE(desk.books.sql("select count(*) from tekil.outbox_message"), std::string("2"));
    QCOMPARE(desk.books.balance(), std::string("99900/0"));
    QCOMPARE(desk.books.judge(), std::string());
}

void GathererTest::aLostLeaseLeavesTheRestOfItsBatch()
{
    Books books(100'000);
    std::vector<Wanted> batch;
    for (int i = 0; i < 3; ++i)
        batch.push_back({.key = std::to_string(i), .invoice = std::to_string(i), .amountMinor = 100});
    const auto takeOver = [&books](const Wanted& wanted) {
        books.sql("update tekil.idempotency_record set lease_epoch = lease_epoch + 1 where operation_id = '"
                  + wanted.id.text() + "'");
    };
    const auto giveBack = [&books](const Wanted& wanted) {
        books.sql("update tekil.idempotency_record set lease_epoch = 1 where operation_id = '" + wanted.id.text()
                  + "'");
    };
    QCOMPARE(books.claim(batch), 3);
    takeOver(batch[1]);
    QVERIFY(books.accept(batch) == (std::vector<std::string>{"accepted", "lost", "accepted"}));
    giveBack(batch[1]);
    QVERIFY(books.accept({batch[1]}) == std::vector<std::string>{"accepted"});
    takeOver(batch[2]);
    for (const Wanted& wanted : batch)
        QCOMPARE(books.openAttempt(wanted.id).empty(), wanted.id == batch[2].id);
    takeOver(batch[0]);
    std::vector<Ending> endings;
    for (const Wanted& wanted : batch)
        endings.push_back({.id = wanted.id, .proof = wanted.id == batch[1].id ? "captured" : "unknown"});
    QVERIFY(books.finishAll(books.engine, endings) == (std::vector<std::string>{"lost", "done", "lost"}));
    QCOMPARE(books.balance(), std::string("99700/200"));
    QCOMPARE(books.judge(), std::string());
}

TEKIL_TEST(GathererTest)
#include "gatherer_test.moc"
