// The counters are exactly the payments at every moment, whatever is repeated, cut or folded.
#include "tests/db/payments/books.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <atomic>
#include <thread>

namespace tekil::test {

namespace {

std::string counted(const Books& books, const std::string& status)
{
    return books.sql("select coalesce(sum(payments), 0) || ' of ' || coalesce(sum(amount_minor), 0)"
                     "  from tekil.counted_payments where status = '"
                     + status + "'");
}

std::string wrong(const Books& books)
{
    return books.sql("select coalesce(string_agg(check_name || ' ' || subject || ' ' || problem, '; '), '') from "
                     "tekil.verify() where subject is not null");
}

std::string flow(const Books& books, const std::string& from, const std::string& to)
{
    return books.sql("select coalesce(sum(payments), 0) from (select * from tekil.payment_total union all select "
                     "from_status, to_status, currency, payments, amount_minor from tekil.payment_flow) f"
                     " where from_status = '"
                     + from + "' and to_status = '" + to + "'");
}

} // namespace

class CountersTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyWayOfAPaymentIsCounted()
    {
        Books books(100'000);
        const Wanted completed = books.sent("1", 1'000), declined = books.sent("2", 2'000),
                     unknown = books.sent("3", 3'000), processing = books.sent("4", 4'000);
        const Wanted tooMuch{.key = "5", .invoice = "5", .amountMinor = 1'000'000};
        QCOMPARE(books.claim({tooMuch}), 1);
        QCOMPARE(books.accept({tooMuch}).front(), std::string("declined"));
        books.finish({.id = completed.id, .proof = "captured", .reference = "r"});
        books.finish({.id = declined.id, .proof = "declined", .code = "no"});
        books.finish({.id = unknown.id, .proof = "unknown", .code = "no_answer", .httpStatus = {}});
        QCOMPARE(counted(books, "Processing"), std::string("1 of 4000"));
        QCOMPARE(counted(books, "Completed"), std::string("1 of 1000"));
        QCOMPARE(counted(books, "Failed"), std::string("2 of 1002000"));
        QCOMPARE(counted(books, "Unknown"), std::string("1 of 3000"));
        books.finish({.id = unknown.id, .epoch = 2, .proof = "captured", .reference = "late"});
        QCOMPARE(counted(books, "Unknown"), std::string("0 of 0"));
        QCOMPARE(flow(books, "New", "Processing"), std::string("5"));
        QCOMPARE(flow(books, "Unknown", "Completed"), std::string("1"));
        QCOMPARE(wrong(books), std::string());
    }

    // After a COMMIT without an answer the same call is made again: it must count nothing twice.
    void aRepeatedBatchCountsOnce()
    {
        Books books(100'000);
        const std::vector<Wanted> batch{{.key = "1", .invoice = "1", .amountMinor = 10},
                                        {.key = "2", .invoice = "2", .amountMinor = 20},
                                        {.key = "3", .invoice = "3", .amountMinor = 999'999}};
        QCOMPARE(books.claim(batch), 3);
        const std::vector<std::string> outcomes = books.accept(batch);
        QCOMPARE(books.accept(batch), outcomes);
        QVERIFY(!books.openAttempt(batch.front().id).empty());
        const Ending captured{.id = batch.front().id, .proof = "captured", .reference = "r"};
        QCOMPARE(books.finish(captured), std::string("done"));
        QCOMPARE(books.finish(captured), std::string("lost"));
        const Ending unknown{.id = batch[1].id, .proof = "unknown", .attempt = {}, .code = "x", .httpStatus = {}};
        books.finish(unknown);
        books.finish(unknown);
        QCOMPARE(flow(books, "New", "Processing"), std::string("3"));
        QCOMPARE(flow(books, "Processing", "Completed"), std::string("1"));
        QCOMPARE(flow(books, "Processing", "Failed"), std::string("1"));
        QCOMPARE(flow(books, "Processing", "Unknown"), std::string("1"));
        QCOMPARE(wrong(books), std::string());
    }

    void foldingWhileOthersCountAndFoldLosesNothing()
    {
        Books books(10'000'000);
        std::atomic<bool> over = false;
        std::atomic<int> seenWrong = 0;
        std::vector<std::thread> others;
        for (int i = 0; i < 2; ++i)
            others.emplace_back([&] {
                db::Connection connection = connectTo(books.database);
                while (!over) {
                    must(connection.run(sql::overview::foldFlow, db::Params().add("0 seconds")));
                    const db::Rows rows = must(connection.run(sql::ledger::verify));
                    for (int row = 0; row < rows.count(); ++row)
                        seenWrong += rows.isNull(row, 1) ? 0 : 1;
                }
            });
        for (int i = 0; i < 150; ++i) {
            const Wanted one = books.sent(std::to_string(i), 10 + i);
            books.finish({.id = one.id, .proof = i % 3 == 0 ? "declined" : "captured", .code = "c"});
        }
        over = true;
        for (std::thread& one : others)
            one.join();
        must(books.engine.run(sql::overview::foldFlow, db::Params().add("-1 minute")));
        QCOMPARE(seenWrong.load(), 0);
        QCOMPARE(books.sql("select count(*) from tekil.payment_flow"), std::string("0"));
        QCOMPARE(flow(books, "Processing", "Completed"), std::string("100"));
        QCOMPARE(flow(books, "Processing", "Failed"), std::string("50"));
        QCOMPARE(wrong(books), std::string());
    }

    // Engines and the steps of one engine have rows of their own: an open transaction of one holds up no other.
    void stepsAndEnginesDoNotWaitForEachOther()
    {
        Books books(100'000);
        const Wanted first = books.sent("1", 10);
        db::Connection slow = connectTo(books.database);
        db::Transaction open = must(db::Transaction::begin(slow));
        const Wanted other{.key = "2", .invoice = "2", .amountMinor = 20};
        QCOMPARE(books.claim({other}), 1);
        db::Params accept;
        accept.add(std::vector<Uuid>{other.id}).add(std::vector<std::int64_t>{1}).add(books.instance);
        must(open.run(sql::payments::accept, accept)); // holds the payer's account and its step's counter row
        // What another step, and another engine, count goes through all the same.
        must(books.engine.run({"test", "set lock_timeout = '2s'"}));
        QCOMPARE(books.finish({.id = first.id, .proof = "unknown", .code = "no_answer", .httpStatus = {}}),
                 std::string("done"));
        const std::string elsewhere = "select tekil.count_transitions('accept', array['" + first.id.text()
                                      + "']::uuid[], '{}', '" + Uuid::next().text() + "', clock_timestamp())";
        QVERIFY(books.engine.run({"test elsewhere", elsewhere}).ok());
    }

    void aCounterThatIsOffIsFound()
    {
        Books books(100'000);
        books.sent("1", 10);
        books.sql("update tekil.payment_flow set payments = payments + 1 where to_status = 'Processing'");
        QVERIFY2(wrong(books).find("counters state Processing TRY 1 payments of 10, counters say 2 of 10")
                     != std::string::npos,
                 wrong(books).c_str());
    }

    void theOldestOpenOnesAreFoundByTheirIndex()
    {
        Books books(100'000);
        const Wanted oldest = books.sent("1", 10), younger = books.sent("2", 10), processing = books.sent("3", 10);
        for (const Wanted& one : {oldest, younger})
            books.finish({.id = one.id, .proof = "unknown", .code = "no_answer", .httpStatus = {}});
        QCOMPARE(books.sql("select oldest_unknown || ' ' || oldest_processing from console.overview()"),
                 oldest.id.text() + " " + processing.id.text());
        const std::string plan = books.sql(
            "set enable_seqscan = off; explain (format json) select operation_id from tekil.idempotency_record"
            " where status = 'Unknown' order by created_at, operation_id limit 1");
        QVERIFY2(plan.find("idempotency_record_open") != std::string::npos, plan.c_str());
        QVERIFY2(plan.find("Sort") == std::string::npos, plan.c_str());
    }

    void whatADeadEngineLeftIsCountedUntilItHasEnded()
    {
        Books books(100'000);
        const Wanted one = books.sent("1", 10), other = books.sent("2", 10);
        QCOMPARE(books.sql("select recovering from console.overview()"), std::string("2")); // its engine never lived
        books.sql("insert into tekil.engine_instance (instance_id, program, version, host, pid, roles) values ('"
                  + books.instance.text() + "', 'tekild', '0', 'h', 1, '{}')");
        QCOMPARE(books.sql("select recovering || ' ' || alive from console.overview()"), std::string("0 1"));
        // Taken over by an engine that lives: still being recovered, until it has ended.
        books.sql("update tekil.idempotency_record set lease_epoch = 2 where operation_id = '" + one.id.text() + "'");
        QCOMPARE(books.sql("select recovering from console.overview()"), std::string("1"));
        books.finish({.id = one.id, .epoch = 2, .proof = "captured", .reference = "r"});
        QCOMPARE(books.sql("select recovering from console.overview()"), std::string("0"));
        Q_UNUSED(other)
    }

    void aSecondWithoutASignOfLifeIsAGap()
    {
        Books books(0);
        QCOMPARE(books.sql("select count(*) || ' ' || count(*) filter (where seen) from console.payment_flow"),
                 std::string("60 0"));
        books.sql(
            "insert into tekil.engine_beat select date_trunc('second', clock_timestamp()) - n * interval '1 second', '"
            + books.instance.text() + "' from generate_series(10, 30) n");
        QCOMPARE(books.sql("select count(*) filter (where seen) between 22 and 23 from console.payment_flow"),
                 std::string("t"));
    }
};

TEKIL_TEST(CountersTest)

} // namespace tekil::test

#include "counters_test.moc"
