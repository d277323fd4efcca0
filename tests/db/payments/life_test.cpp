// claim, accept, attempt, finish by the engine's own statements: one key one record, money held once and moved once.
#include "tests/db/payments/books.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <future>
#include <thread>

using namespace tekil;
using namespace tekil::test;

namespace {

using Outcomes = std::vector<std::string>;
using namespace std::chrono_literals;

bool waitForALock(const Books& books)
{
    for (int i = 0; i < 500; ++i) {
        if (books.sql("select count(*) from pg_stat_activity where wait_event_type = 'Lock'") != "0")
            return true;
        std::this_thread::sleep_for(10ms);
    }
    return false;
}

// What read_back says of a claim that did not come back: the operation that has the key, or nil.
Uuid holderOf(db::Connection& connection, const Books& books, const Wanted& wanted)
{
    db::Params params;
    params.add(std::vector<std::int64_t>{books.merchant}).add(Outcomes{wanted.key});
    params.add(std::vector<std::optional<std::int64_t>>(1)).add(std::vector<std::optional<std::string>>(1));
    params.add(std::vector<std::int64_t>{wanted.amountMinor}).add(Outcomes{"TRY"});
    const db::Rows rows = must(connection.run(sql::payments::readBack, params, db::Mode::Reads));
    return rows.optionalUuid(0, 1).value_or(Uuid());
}

} // namespace

class LifeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aClaimWaitsForAnUncommittedOneAndThenSeesIt();
    void aClaimWinsWhenTheOneItWaitedForIsRolledBack();
    void aKeyIsClaimedOnceInABatchAndAcrossBatches();
    void acceptFoldsInTheOrderOfArrivalInOneBatch();
    void acceptFoldsInTheOrderOfArrivalInFourBatches();
    void whatDoesNotFitIsSkippedAndTheNextOneMay();
    void sixConcurrentHoldsOfOneThousandOnFiveThousandMakeFive();
    void acceptAskedAgainTellsWhatItDid();
    void oneInvoiceIsPaidOnceAndTheSecondKeyIsNotBurned();
    void aSecondFinishChangesNothing();
    void aFinishWithAStaleEpochIsLost();
    void aLateNotSentClosesItsAttemptAndNothingElse();
    void aLateProofEndsAnUnknownPaymentThatNobodyHolds();
    void aLateProofEndsAPaymentThatAnotherEngineHolds();
    void aDeclineReleasesTheMoneyOnceAndFreesTheInvoice();
    void anUnknownPaymentKeepsItsMoneyHeldUntilItsProof();
    void whatWasNotSentStaysProcessingAndIsSentAgain();
    void anAttemptIsOpenedOnceForOneLease();
};

// B25: a statement's snapshot is older than the row it waited for.
void LifeTest::aClaimWaitsForAnUncommittedOneAndThenSeesIt()
{
    Books books(100'000);
    const Wanted first{.key = "K", .invoice = "1", .amountMinor = 1'000};
    const Wanted second{.key = "K", .invoice = "1", .amountMinor = 1'000};
    db::Connection other = connectTo(books.database);
    auto holding = must(db::Transaction::begin(books.engine));
    QCOMPARE(
        must(holding.run(sql::payments::claim, Books::claimParams(books.merchant, {first}, books.instance))).count(),
        1);
    auto waiting = std::async(std::launch::async, [&] {
        return must(other.run(sql::payments::claim, Books::claimParams(books.merchant, {second}, books.instance)))
            .count();
    });
    QVERIFY(waitForALock(books));
    QVERIFY(waiting.wait_for(300ms) == std::future_status::timeout);
    QVERIFY(holding.commit().ok());
    QCOMPARE(waiting.get(), 0);
    QVERIFY(holderOf(other, books, second) == first.id);
    QCOMPARE(books.sql("select count(*) from tekil.idempotency_record"), std::string("1"));
}

void LifeTest::aClaimWinsWhenTheOneItWaitedForIsRolledBack()
{
    Books books(100'000);
    const Wanted first{.key = "K", .invoice = "1", .amountMinor = 1'000};
    const Wanted second{.key = "K", .invoice = "1", .amountMinor = 1'000};
    db::Connection other = connectTo(books.database);
    auto holding = must(db::Transaction::begin(books.engine));
    QCOMPARE(
        must(holding.run(sql::payments::claim, Books::claimParams(books.merchant, {first}, books.instance))).count(),
        1);
    auto waiting = std::async(std::launch::async, [&] {
        return must(other.run(sql::payments::claim, Books::claimParams(books.merchant, {second}, books.instance)))
            .count();
    });
    QVERIFY(waitForALock(books));
    holding.rollback();
    QCOMPARE(waiting.get(), 1);
    QVERIFY(holderOf(other, books, second) == second.id);
}

void LifeTest::aKeyIsClaimedOnceInABatchAndAcrossBatches()
{
    Books books(100'000);
    QCOMPARE(books.claim({{.key = "K", .invoice = "1", .amountMinor = 1},
                          {.key = "k", .invoice = "2", .amountMinor = 1},
                          {.key = "K", .invoice = "3", .amountMinor = 1}}),
             2);
    QCOMPARE(books.claim({{.key = "K", .invoice = "1", .amountMinor = 1}}), 0);
    QCOMPARE(books.sql("select count(*) from tekil.key_event where kind = 'claimed'"), std::string("2"));
}

// The keys stand in the opposite order, so that the locks' order is not the order of arrival.
void LifeTest::acceptFoldsInTheOrderOfArrivalInOneBatch()
{
    Books books(200'000);
    std::vector<Wanted> batch;
    for (int i = 0; i < 4; ++i)
        batch.push_back({.key = "K" + std::to_string(9 - i), .invoice = std::to_string(i), .amountMinor = 100'000});
    QCOMPARE(books.claim(batch), 4);
    QVERIFY(books.accept(batch) == (Outcomes{"accepted", "accepted", "declined", "declined"}));
    QCOMPARE(books.balance(), std::string("0/200000"));
    QCOMPARE(books.judge(), std::string());
}

void LifeTest::acceptFoldsInTheOrderOfArrivalInFourBatches()
{
    Books books(200'000);
    Outcomes outcomes;
    for (int i = 0; i < 4; ++i) {
        const Wanted wanted{.key = "K" + std::to_string(9 - i), .invoice = std::to_string(i), .amountMinor = 100'000};
        QCOMPARE(books.claim({wanted}), 1);
        outcomes.push_back(books.accept({wanted}).front());
    }
    QVERIFY(outcomes == (Outcomes{"accepted", "accepted", "declined", "declined"}));
    QCOMPARE(books.balance(), std::string("0/200000"));
    QCOMPARE(books.judge(), std::string());
}

void LifeTest::whatDoesNotFitIsSkippedAndTheNextOneMay()
{
    Books books(200'000);
    const std::vector<Wanted> batch{{.key = "A", .invoice = "1", .amountMinor = 150'000},
                                    {.key = "B", .invoice = "2", .amountMinor = 50'001},
                                    {.key = "C", .invoice = "3", .amountMinor = 50'000},
                                    {.key = "D", .invoice = "4", .amountMinor = 1}};
    QCOMPARE(books.claim(batch), 4);
    QVERIFY(books.accept(batch) == (Outcomes{"accepted", "declined", "accepted", "declined"}));
    QCOMPARE(books.balance(), std::string("0/200000"));
    QCOMPARE(books.judge(), std::string());
}

// B74: what is held is spent.
void LifeTest::sixConcurrentHoldsOfOneThousandOnFiveThousandMakeFive()
{
    Books books(500'000);
    std::vector<Wanted> all;
    for (int i = 0; i < 6; ++i)
        all.push_back({.key = "K" + std::to_string(i), .invoice = std::to_string(i), .amountMinor = 100'000});
    QCOMPARE(books.claim(all), 6);
    std::vector<std::future<std::string>> running;
    for (const Wanted& wanted : all)
        running.push_back(std::async(std::launch::async, [&books, wanted] {
            db::Connection own = connectTo(books.database);
            return books.acceptWith(own, {wanted}).front();
        }));
    std::vector<Uuid> accepted;
    for (std::size_t i = 0; i < running.size(); ++i)
        if (running[i].get() == "accepted")
            accepted.push_back(all[i].id);
    QCOMPARE(accepted.size(), std::size_t(5));
    QCOMPARE(books.balance(), std::string("0/500000"));
    for (const Uuid id : accepted) {
        QVERIFY(!books.openAttempt(id).empty());
        QCOMPARE(books.finish({.id = id, .proof = "captured"}), std::string("done"));
    }
    QCOMPARE(books.balance(), std::string("0/0"));
    QCOMPARE(books.judge(), std::string());
}

void LifeTest::acceptAskedAgainTellsWhatItDid()
{
    Books books(100'000);
    const std::vector<Wanted> batch{{.key = "A", .invoice = "1", .amountMinor = 100'000},
                                    {.key = "B", .invoice = "2", .amountMinor = 1}};
    QCOMPARE(books.claim(batch), 2);
    QVERIFY(books.accept(batch) == (Outcomes{"accepted", "declined"}));
    QVERIFY(books.accept(batch) == (Outcomes{"accepted", "declined"}));
    QCOMPARE(books.balance(), std::string("0/100000"));
    QCOMPARE(books.sql("select count(*) from tekil.outbox_message"), std::string("2"));
    QCOMPARE(books.judge(), std::string());
}

void LifeTest::oneInvoiceIsPaidOnceAndTheSecondKeyIsNotBurned()
{
    Books books(100'000);
    const Wanted first{.key = "A", .invoice = "7", .amountMinor = 1'000};
    const Wanted second{.key = "B", .invoice = "7", .amountMinor = 1'000};
    QCOMPARE(books.claim({first, second}), 2);
    Outcomes outcomes = books.accept({first, second});
    std::sort(outcomes.begin(), outcomes.end());
    QVERIFY(outcomes == (Outcomes{"accepted", "duplicate"}));
    QCOMPARE(books.sql("select count(*) from tekil.idempotency_record"), std::string("1"));
    QCOMPARE(books.balance(), std::string("99000/1000"));
    QCOMPARE(books.sql("select facts->>'code' from tekil.key_event where kind = 'refused'"),
             std::string("duplicate-operation"));
    QCOMPARE(books.judge(), std::string());
}

void LifeTest::aSecondFinishChangesNothing()
{
    Books books(100'000);
    const Wanted paid = books.sent("1", 30'000);
    QCOMPARE(books.finish({.id = paid.id, .proof = "captured", .reference = "r-1"}), std::string("done"));
    const auto everything = [&books] {
        return books.sql(
            "select (select string_agg(r::text, ';') from tekil.idempotency_record r) || (select string_agg(p::text, "
            "';') "
            "from tekil.payment p) || (select count(*) from tekil.ledger_entry) || (select count(*) from "
            "tekil.outbox_message) "
            "|| (select string_agg(a::text, ';') from tekil.account a)");
    };
    const std::string before = everything();
    for (const char* proof : {"captured", "declined", "unknown", "not_sent", "expired"})
        for (const std::int64_t epoch : {1, 2}) // the lease it had, and the one that its end raised
            QCOMPARE(books.finish({.id = paid.id, .epoch = epoch, .proof = proof}), std::string("lost"));
    QCOMPARE(everything(), before);
    // The same end again is no news; one that contradicts it is kept for people to see.
    QCOMPARE(books.sql("select string_agg(distinct facts->>'proof', ',') || count(*) from tekil.key_event where kind = "
                       "'lease_lost'"),
             std::string("declined2"));
    QCOMPARE(books.balance(), std::string("70000/0"));
    QCOMPARE(books.judge(), std::string());
}

void LifeTest::aFinishWithAStaleEpochIsLost()
{
    Books books(100'000);
    const Wanted paid = books.sent("1", 30'000);
    books.sql("update tekil.idempotency_record set lease_epoch = 2"); // another engine took it over
    QCOMPARE(books.finish({.id = paid.id, .epoch = 1, .proof = "unknown", .code = "http_500", .httpStatus = 500}),
             std::string("lost"));
    QCOMPARE(books.statusOf(paid.id), std::string("Processing"));
    QCOMPARE(books.reservationOf(paid.id), std::string("Active"));
    // What came of its attempt is told all the same.
    QCOMPARE(books.sql("select state || ' ' || http_status || ' ' || why from tekil.provider_attempt"),
             std::string("answered 500 http_500"));
    QCOMPARE(books.openAttempt(paid.id, 1), std::string());
    QCOMPARE(books.finish({.id = paid.id, .epoch = 2, .proof = "captured"}), std::string("done"));
    QCOMPARE(books.balance(), std::string("70000/0"));
    QCOMPARE(books.judge(), std::string());
}

// A sender that wakes under a lost lease and had not sent leaves no attempt open.
void LifeTest::aLateNotSentClosesItsAttemptAndNothingElse()
{
    Books books(100'000);
    const Wanted paid = books.sent("1", 30'000);
    books.sql("update tekil.idempotency_record set lease_epoch = 2");
    QCOMPARE(books.finish({.id = paid.id, .epoch = 1, .proof = "not_sent", .httpStatus = {}}), std::string("lost"));
    QCOMPARE(books.sql("select state from tekil.provider_attempt"), std::string("not_sent"));
    QCOMPARE(books.statusOf(paid.id), std::string("Processing"));
    QCOMPARE(books.judge(), std::string());
}

// What comes after the lease was lost is the truth all the same, whether nobody is at work on it …
void LifeTest::aLateProofEndsAnUnknownPaymentThatNobodyHolds()
{
    Books books(100'000);
    const Wanted paid = books.sent("1", 30'000);
    books.sql("update tekil.idempotency_record set lease_epoch = 2"); // taken over while its sender slept
    QCOMPARE(books.finish({.id = paid.id, .epoch = 2, .proof = "unknown", .code = "sender_lost", .httpStatus = {}}),
             std::string("done"));
    QCOMPARE(books.statusOf(paid.id), std::string("Unknown"));
    QCOMPARE(books.finish({.id = paid.id, .epoch = 1, .proof = "captured", .reference = "late"}), std::string("done"));
    QCOMPARE(books.statusOf(paid.id), std::string("Completed"));
    QCOMPARE(books.balance(), std::string("70000/0"));
    QCOMPARE(books.judge(), std::string());
}

// … or another engine holds it: what that one does next is lost, and changes nothing.
void LifeTest::aLateProofEndsAPaymentThatAnotherEngineHolds()
{
    for (const char* proof : {"captured", "declined"}) {
        Books books(100'000);
        const Wanted paid = books.sent("1", 30'000);
        const bool captured = proof == std::string("captured");
        books.sql("update tekil.idempotency_record set lease_epoch = 2, lease_holder = gen_random_uuid()");
        QCOMPARE(books.finish({.id = paid.id, .epoch = 1, .proof = proof, .reference = "late"}), std::string("done"));
        QCOMPARE(books.statusOf(paid.id), std::string(captured ? "Completed" : "Failed"));
        QCOMPARE(books.finish({.id = paid.id, .epoch = 2, .proof = "unknown", .code = "sender_lost", .httpStatus = {}}),
                 std::string("lost"));
        QCOMPARE(books.statusOf(paid.id), std::string(captured ? "Completed" : "Failed"));
        QCOMPARE(books.balance(), std::string(captured ? "70000/0" : "100000/0"));
        QCOMPARE(books.judge(), std::string());
    }
}

// B80: whichever way a payment fails, its money is free again, once.
void LifeTest::aDeclineReleasesTheMoneyOnceAndFreesTheInvoice()
{
    Books books(100'000);
    for (const char* proof : {"declined", "refused"}) {
        const Wanted paid = books.sent(proof, 10'000);
        QCOMPARE(books.balance(), std::string("90000/10000"));
        QCOMPARE(books.finish({.id = paid.id, .proof = proof, .code = "do_not_honor"}), std::string("done"));
        QCOMPARE(books.finish({.id = paid.id, .proof = proof, .code = "do_not_honor"}), std::string("lost"));
        QCOMPARE(books.statusOf(paid.id), std::string("Failed"));
        QCOMPARE(books.reservationOf(paid.id), std::string("Released"));
        QCOMPARE(books.balance(), std::string("100000/0"));
    }
    const Wanted late = books.sent("expired", 10'000);
    books.sql("update tekil.provider set send_deadline = '1 millisecond'");
    QCOMPARE(books.finish({.id = late.id, .proof = "expired", .httpStatus = std::nullopt}), std::string("done"));
    QCOMPARE(books.statusOf(late.id), std::string("Failed"));
    QCOMPARE(books.balance(), std::string("100000/0"));
    books.sql("update tekil.provider set send_deadline = '15 minutes'");
    const Wanted again{.key = "another key", .invoice = "declined", .amountMinor = 10'000};
    QCOMPARE(books.claim({again}), 1);
    QVERIFY(books.accept({again}) == Outcomes{"accepted"});
    QCOMPARE(books.judge(), std::string());
}

void LifeTest::anUnknownPaymentKeepsItsMoneyHeldUntilItsProof()
{
    Books books(100'000);
    const Wanted paid = books.sent("1", 10'000);
    QCOMPARE(books.finish({.id = paid.id, .proof = "unknown", .code = "no_answer", .httpStatus = std::nullopt}),
             std::string("done"));
    QCOMPARE(books.statusOf(paid.id), std::string("Unknown"));
    QCOMPARE(books.reservationOf(paid.id), std::string("Active"));
    QCOMPARE(books.balance(), std::string("90000/10000"));
    QCOMPARE(books.judge(), std::string());
    QCOMPARE(
        books.finish({.id = paid.id, .epoch = 2, .proof = "captured", .attempt = std::nullopt, .reference = "found"}),
        std::string("done"));
    QCOMPARE(books.statusOf(paid.id), std::string("Completed"));
    QCOMPARE(books.balance(), std::string("90000/0"));
    QCOMPARE(books.judge(), std::string());
}

void LifeTest::whatWasNotSentStaysProcessingAndIsSentAgain()
{
    Books books(100'000);
    const Wanted paid = books.sent("1", 10'000);
    QCOMPARE(books.finish({.id = paid.id, .proof = "not_sent", .httpStatus = std::nullopt}), std::string("done"));
    QCOMPARE(books.statusOf(paid.id), std::string("Processing"));
    // Too early to give up: the deadline has not passed.
    QCOMPARE(books.finish({.id = paid.id, .proof = "expired", .attempt = std::nullopt, .httpStatus = std::nullopt}),
             std::string("done"));
    QCOMPARE(books.statusOf(paid.id), std::string("Processing"));
    QVERIFY(!books.openAttempt(paid.id).empty());
    QCOMPARE(books.finish({.id = paid.id, .proof = "captured", .attempt = 2}), std::string("done"));
    QCOMPARE(books.sql("select string_agg(state, ' ' order by attempt) from tekil.provider_attempt"),
             std::string("not_sent answered"));
    QCOMPARE(books.judge(), std::string());
}

void LifeTest::anAttemptIsOpenedOnceForOneLease()
{
    Books books(100'000);
    const Wanted paid = books.sent("1", 10'000);
    const std::string first = books.openAttempt(paid.id);
    QVERIFY(!first.empty());
    QCOMPARE(books.openAttempt(paid.id), first);
    QCOMPARE(books.openAttempt(paid.id, 2), std::string());
    QCOMPARE(books.sql("select count(*) from tekil.provider_attempt"), std::string("1"));
    QCOMPARE(
        books.sql("select (send_before < locked_until)::text from tekil.provider_attempt, tekil.idempotency_record"),
        std::string("true"));
}

TEKIL_TEST(LifeTest)
#include "life_test.moc"
