// What keeps the tables in order, by the engine's own statements: keys past their retention, leases that are given
// back, failed payments that are asked for once more, rows that a failover lost. Time is moved by writing the rows'
// times.
#include "tests/db/payments/books.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <future>

using namespace tekil;
using namespace tekil::test;

class UpkeepTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void cleanup();

    void anExpiredKeyShrinksToATombstoneAndThenGoes();
    void whatHasNotEndedIsNeverPurged_data();
    void whatHasNotEndedIsNeverPurged();
    void whatACaseIsOpenAboutIsNotPurged();
    void twoSweepersShareTheWork();
    void aSweepLeavesWhatSomebodyWorksOn();
    void aReleasedLeaseIsDueAtOnceAndAnOpenAttemptKeepsIts();
    void anAttemptOpenedWhileTheReleaseWaitedKeepsItsLease();
    void whatFailedWithoutADeclineIsAskedForSomeMoreTimes();
    void aDeclineAtTheFirstAttemptIsNotAskedForAgain();
    void whatWasSentIsMarkedAgainAfterALoss();
    void anAttemptThatIsToldAgainWritesSomething();
    void theHeartbeatTellsWhatItsRowWas();

private:
    using Pair = std::pair<std::int64_t, std::int64_t>;
    Pair sweep(std::int64_t most = 500) { return sweepWith(m_books->engine, most); }
    static Pair sweepWith(db::Connection& connection, std::int64_t most)
    {
        const db::Rows rows = must(connection.run(sql::payments::shrinkRecords, db::Params().add(most)));
        return {rows.int64(0, 0), rows.int64(0, 1)};
    }
    void age()
    {
        m_books->sql("update tekil.idempotency_record set expires_at = clock_timestamp() - interval '1 hour'");
    }
    std::int64_t release(Uuid id, std::int64_t epoch = 1)
    {
        return must(m_books->engine.run(sql::payments::releaseLeases, db::Params()
                                                                          .add(std::vector<Uuid>{id})
                                                                          .add(std::vector<std::int64_t>{epoch})
                                                                          .add(m_books->instance)))
            .int64(0, 0);
    }
    int failedDue()
    {
        return must(m_books->engine.run(sql::recovery::takeFailed,
                                        db::Params().add(100).add(std::vector<std::int64_t>{})))
            .count();
    }
    Wanted ended(const std::string& invoice, const char* proof)
    {
        const Wanted paid = m_books->sent(invoice, 1'000);
        if (m_books->finish({.id = paid.id, .proof = proof}) != "done")
            qFatal("it did not end");
        return paid;
    }

    std::unique_ptr<Books> m_books = std::make_unique<Books>(100'000);
};

void UpkeepTest::cleanup()
{
    QCOMPARE(m_books->judge(), std::string());
    QCOMPARE(
        m_books->sql("select coalesce(string_agg(problem, '; '), '') from tekil.verify() where problem is not null"),
        std::string());
    m_books = std::make_unique<Books>(100'000);
}

// B115
void UpkeepTest::anExpiredKeyShrinksToATombstoneAndThenGoes()
{
    ended("1", "captured");
    ended("2", "declined");
    QCOMPARE(sweep(), Pair(0, 0)); // not yet
    age();
    QCOMPARE(sweep(), Pair(2, 0));
    QCOMPARE(
        m_books->sql("select count(*) from tekil.idempotency_record where shrunk_at is not null and response_body is "
                     "null and length(request_hash) = 32 and expires_at > clock_timestamp() + interval '29 days'"),
        std::string("2"));
    QCOMPARE(sweep(), Pair(0, 0));
    QCOMPARE(m_books->judge(), std::string());
    age();
    QCOMPARE(sweep(), Pair(0, 2));
    QCOMPARE(m_books->sql("select (select count(*) from tekil.idempotency_record) || ' ' || (select count(*) from "
                          "tekil.payment) || ' ' || (select count(*) > 5 from tekil.key_event)"),
             std::string("0 2 true"));
    const Wanted again{.key = "key-1", .invoice = "1", .amountMinor = 1'000};
    QCOMPARE(m_books->claim({again}), 1); // the key is free, and its invoice is paid all the same
    QVERIFY(m_books->accept({again}) == std::vector<std::string>{"duplicate"});
    m_books = std::make_unique<Books>(100'000); // the bookkeeper wants a record for each payment
}

void UpkeepTest::whatHasNotEndedIsNeverPurged_data()
{
    QTest::addColumn<QString>("proof");
    QTest::newRow("Processing") << "";
    QTest::newRow("Unknown") << "unknown";
}

void UpkeepTest::whatHasNotEndedIsNeverPurged()
{
    QFETCH(QString, proof);
    const Wanted paid = m_books->sent("1", 1'000);
    if (!proof.isEmpty())
        QCOMPARE(m_books->finish({.id = paid.id, .proof = proof.toStdString()}), std::string("done"));
    age();
    QCOMPARE(sweep(), Pair(0, 0));
    QCOMPARE(m_books->sql("select count(*) from tekil.idempotency_record"), std::string("1"));
}

void UpkeepTest::whatACaseIsOpenAboutIsNotPurged()
{
    const Wanted paid = ended("1", "declined");
    QCOMPARE(m_books->finish({.id = paid.id, .proof = "captured", .reference = "late"}), std::string("lost"));
    age();
    QCOMPARE(sweep(), Pair(0, 0));
    m_books->sql("update tekil.reconciliation_case set state = 'resolved', resolved_at = clock_timestamp()");
    QCOMPARE(sweep(), Pair(1, 0));
}

void UpkeepTest::twoSweepersShareTheWork()
{
    for (int i = 0; i < 60; ++i)
        ended(std::to_string(i), "captured");
    age();
    std::vector<std::future<std::int64_t>> running;
    for (int i = 0; i < 3; ++i)
        running.push_back(std::async(std::launch::async, [this] {
            db::Connection own = connectTo(m_books->database);
            std::int64_t all = 0;
            for (std::int64_t shrunk = -1; shrunk != 0;) {
                shrunk = sweepWith(own, 7).first;
                all += shrunk;
            }
            return all;
        }));
    std::int64_t all = 0;
    for (auto& each : running)
        all += each.get();
    QCOMPARE(all, std::int64_t(60));
}

void UpkeepTest::aSweepLeavesWhatSomebodyWorksOn()
{
    ended("1", "captured");
    age();
    db::Connection other = connectTo(m_books->database);
    {
        auto holding = must(db::Transaction::begin(other));
        must(holding.exec("select from tekil.idempotency_record for no key update"));
        QCOMPARE(sweep(), Pair(0, 0)); // and does not wait
    }
    QCOMPARE(sweep(), Pair(1, 0));
}

void UpkeepTest::aReleasedLeaseIsDueAtOnceAndAnOpenAttemptKeepsIts()
{
    const Wanted waiting{.key = "K", .invoice = "1", .amountMinor = 1'000};
    QCOMPARE(m_books->claim({waiting}), 1);
    m_books->accept({waiting});
    const Wanted open = m_books->sent("2", 1'000);
    QCOMPARE(release(open.id), std::int64_t(0));
    QCOMPARE(release(waiting.id, 7), std::int64_t(0)); // another's
    QCOMPARE(release(waiting.id), std::int64_t(1));
    QCOMPARE(
        m_books->sql("select (lease_holder is null and locked_until <= clock_timestamp() and lease_epoch = 2)::text "
                     "from tekil.idempotency_record where idempotency_key = 'K'"),
        std::string("true"));
    QCOMPARE(m_books->openAttempt(waiting.id, 1), std::string()); // what held it sends nothing any more
    QCOMPARE(m_books->sql("select count(*) from tekil.key_event where kind = 'released'"), std::string("1"));
}

void UpkeepTest::anAttemptOpenedWhileTheReleaseWaitedKeepsItsLease()
{
    const Wanted waiting{.key = "K", .invoice = "1", .amountMinor = 1'000};
    QCOMPARE(m_books->claim({waiting}), 1);
    m_books->accept({waiting});
    db::Connection other = connectTo(m_books->database);
    auto sending = must(db::Transaction::begin(other));
    db::Params params;
    params.add(std::vector<Uuid>{waiting.id}).add(std::vector<std::int64_t>{1}).add(std::vector<std::string>{"{}"});
    must(sending.run(sql::payments::openAttempts, params.add(m_books->instance).add("30 s").add("500 ms")));
    auto releasing = std::async(std::launch::async, [&] { return release(waiting.id); });
    for (int i = 0;
         i < 500 && m_books->sql("select count(*) from pg_stat_activity where wait_event_type = 'Lock'") == "0"; ++i)
        QTest::qWait(10);
    QVERIFY(sending.commit().ok());
    QCOMPARE(releasing.get(), std::int64_t(0));
}

void UpkeepTest::whatFailedWithoutADeclineIsAskedForSomeMoreTimes()
{
    const Wanted paid = m_books->sent("1", 1'000);
    QCOMPARE(m_books->finish({.id = paid.id, .proof = "unknown"}), std::string("done"));
    m_books->sql("update tekil.provider set not_found_final = true");
    m_books->sql("update tekil.provider_attempt set send_before = clock_timestamp() - interval '1 hour'");
    QCOMPARE(m_books->finish({.id = paid.id, .epoch = 2, .proof = "not_found", .attempt = {}, .asked = true}),
             std::string("done"));
    QCOMPARE(m_books->statusOf(paid.id), std::string("Failed"));
    QCOMPARE(failedDue(), 0);
    int times = 0;
    for (int i = 0; i < 20; ++i) {
        m_books->sql("update tekil.late_inquiry set due_at = clock_timestamp()");
        times += failedDue();
    }
    QCOMPARE(times, 6);
    QCOMPARE(m_books->sql("select count(*) from tekil.late_inquiry"), std::string("0"));
    // Once a capture has been found, nothing more is asked.
    m_books->sql(
        "insert into tekil.late_inquiry select operation_id, provider_id, 0, clock_timestamp() from tekil.payment");
    QCOMPARE(m_books->finish({.id = paid.id, .epoch = 0, .proof = "captured", .reference = "late", .asked = true}),
             std::string("lost"));
    QCOMPARE(failedDue(), 0);
    QCOMPARE(m_books->sql("select (select count(*) from tekil.late_inquiry) || (select kind from "
                          "tekil.reconciliation_case)"),
             std::string("0late_capture"));
}

void UpkeepTest::aDeclineAtTheFirstAttemptIsNotAskedForAgain()
{
    ended("1", "declined");
    QCOMPARE(m_books->sql("select count(*) from tekil.late_inquiry"), std::string("0"));
    const Wanted paid = m_books->sent("2", 1'000);
    QCOMPARE(m_books->finish({.id = paid.id, .proof = "unknown", .httpStatus = {}}), std::string("done"));
    QVERIFY(!m_books->openAttempt(paid.id, 2).empty());
    QCOMPARE(m_books->finish({.id = paid.id, .epoch = 2, .proof = "declined", .attempt = 2}), std::string("done"));
    QCOMPARE(m_books->sql("select count(*) from tekil.late_inquiry"), std::string("1"));
}

// The attempt's row was lost with a failover: nobody may take the payment for one that was never sent.
void UpkeepTest::whatWasSentIsMarkedAgainAfterALoss()
{
    const Wanted sent{.key = "A", .invoice = "1", .amountMinor = 1'000};
    const Wanted unsent{.key = "B", .invoice = "2", .amountMinor = 1'000};
    const Wanted inHand{.key = "C", .invoice = "3", .amountMinor = 1'000};
    QCOMPARE(m_books->claim({sent, unsent, inHand}), 3);
    m_books->accept({sent, unsent, inHand});
    db::Params params;
    params.add(std::vector<Uuid>{sent.id, unsent.id, inHand.id});
    params.add(std::vector<std::optional<std::string>>{"{}", std::nullopt, "{}"});
    params.add(std::vector<bool>{false, false, true}).add(m_books->instance).add("30 s");
    const db::Rows rows = must(m_books->engine.run(sql::recovery::restoreSent, params));
    QCOMPARE(rows.count(), 2);
    for (int row = 0; row < 2; ++row) {
        QCOMPARE(rows.int64(row, 1), std::int64_t(2));
        QCOMPARE(rows.int64(row, 2), std::int64_t(rows.uuid(row, 0) == sent.id ? 1 : 0));
    }
    QCOMPARE(m_books->sql("select string_agg(r.idempotency_key || a.state || r.lease_epoch, ' ' order by "
                          "r.idempotency_key) from tekil.provider_attempt a join tekil.idempotency_record r using "
                          "(operation_id)"),
             std::string("Ano_answer2 Cno_answer1"));
}

// Else its commit would not wait for a synchronous standby, and what the standby never got would be sent.
void UpkeepTest::anAttemptThatIsToldAgainWritesSomething()
{
    const Wanted paid = m_books->sent("1", 1'000);
    const std::string before = m_books->sql("select pg_current_xact_id()::text");
    QVERIFY(!m_books->openAttempt(paid.id).empty());
    QVERIFY(m_books->sql("select xmin::text::bigint > " + before + " from tekil.provider_attempt") == "t");
}

void UpkeepTest::theHeartbeatTellsWhatItsRowWas()
{
    const auto beat = [this] {
        return must(m_books->engine.run(sql::engine::heartbeat, db::Params().add(m_books->instance)));
    };
    QCOMPARE(beat().count(), 0); // no row
    m_books->sql("insert into tekil.engine_instance (instance_id, program, version, host, pid, roles) values ('"
                 + m_books->instance.text() + "', 'tekild', '1', 'h', 1, '{}')");
    const db::Rows first = beat();
    const db::Rows second = beat();
    QCOMPARE(first.int64(0, 2), std::int64_t(1));
    QCOMPARE(second.int64(0, 0), std::int64_t(1));
    QCOMPARE(second.int64(0, 1), first.int64(0, 3));
}

TEKIL_TEST(UpkeepTest)
#include "upkeep_test.moc"
