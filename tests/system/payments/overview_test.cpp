// What the overview stands on, made by running engines: counters across a kill, checks of the books, signs of life.
#include "tests/support/engine_lab.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <csignal>
#include <thread>

using namespace tekil::test;

class OverviewSystemTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aRunningEngineChecksTheBooksAndFoldsCounters()
    {
        EngineLab lab;
        for (int i = 0; i < 5; ++i)
            QCOMPARE(lab.post(payment("10.00"), freshKey()).status, 201);
        // A check that began after the payments ended.
        const std::string after = lab.sql("select clock_timestamp()");
        QVERIFY(lab.becomes("select count(*) > 0 from tekil.books_check where started_at > '" + after
                                + "' and problems = 0 and accounts >= 3",
                            "t", std::chrono::seconds(60)));
        QCOMPARE(lab.sql("select payments from tekil.counted_payments where status = 'Completed'"), std::string("5"));
        QVERIFY(lab.becomes("select count(*) > 1 from tekil.engine_beat", "t"));
        QCOMPARE(lab.judge(), std::string());
    }

    void twoEnginesMakeOneCheckATime()
    {
        EngineLab lab;
        const auto other = lab.startAnother();
        QVERIFY(other);
        QVERIFY(lab.becomes("select count(*) >= 3 from tekil.books_check", "t", std::chrono::seconds(90)));
        // The one who is next waits its turn: no two checks overlap, and none follows within the cadence.
        QCOMPARE(lab.sql("select count(*) from (select started_at - lag(ended_at) over (order by started_at) as pause"
                         "  from tekil.books_check) c where c.pause < interval '9 seconds'"),
                 std::string("0"));
    }

    void countersAreExactAfterKillsInTheMiddle()
    {
        EngineLab lab;
        lab.script(R"({"rules":[{"do":"delay","ms":30}]})");
        for (int round = 0; round < 3; ++round) {
            std::vector<std::thread> clients;
            for (int i = 0; i < 8; ++i)
                clients.emplace_back([&lab] {
                    for (int n = 0; n < 6; ++n)
                        lab.post(payment("1.00"), freshKey());
                });
            QVERIFY(
                lab.becomes("select count(*) > 4 from tekil.payment where created_at > clock_timestamp() - interval '1 "
                            "minute'",
                            "t"));
            lab.engine().process().kill();
            for (std::thread& one : clients)
                one.join();
            lab.restart();
        }
        QVERIFY(lab.becomes("select count(*) from tekil.payment where status = 'Processing'", "0",
                            std::chrono::seconds(120)));
        QCOMPARE(lab.judge(), std::string()); // tekild verify compares the counters with the payments
        QCOMPARE(lab.sql("select sum(payments) from tekil.counted_payments"),
                 lab.sql("select count(*) from tekil.payment"));
    }

    void anEngineSaysThatItDrainsAndThatItHasEnded()
    {
        EngineLab lab;
        QVERIFY(lab.becomes("select count(*) from tekil.engine_instance", "1"));
        const auto other = lab.startAnother();
        QVERIFY(lab.becomes("select count(*) from tekil.engine_instance", "2"));
        QCOMPARE(lab.engine().terminate().value_or(-1), 0);
        QCOMPARE(lab.sql("select count(*) from tekil.engine_instance where draining_at <= ended_at"), std::string("1"));
        QCOMPARE(lab.sql("select count(*) from tekil.engine_instance where ended_at is null"), std::string("1"));
    }
};

TEKIL_TEST(OverviewSystemTest)

#include "overview_test.moc"
