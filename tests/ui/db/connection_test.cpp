// The driver's traps, held at the console's only door: reads that are cut short, threads that meet, instants that
// shrink.
#include "tests/support/cluster.h"
#include "tests/support/proxy.h"
#include "tests/support/test_main.h"
#include "tests/support/ui_application.h"
#include "ui/db/session.h"

#include <QSqlDatabase>
#include <QTest>

#include <atomic>
#include <thread>

using namespace tekil;
using namespace tekil::test;
using namespace tekil::ui;
using namespace Qt::Literals::StringLiterals;

namespace {

Query query(const QString& text)
{
    return {u"test"_s, text, {}};
}

} // namespace

class ConnectionTest : public QObject {
    Q_OBJECT

    TestDatabase m_database;

    Profile here() const { return {QString::fromStdString(m_database.dsn("postgres")), u"postgres"_s}; }

private Q_SLOTS:
    // B105: an answer that breaks off in its middle must not read as a shorter one.
    void anAnswerThatIsCutShortIsAnErrorAndNeverFewerRows_data()
    {
        QTest::addColumn<bool>("streamed");
        QTest::newRow("all at once") << false;
        QTest::newRow("row by row") << true;
    }
    void anAnswerThatIsCutShortIsAnErrorAndNeverFewerRows()
    {
        QFETCH(bool, streamed);
        CuttingProxy wire(TestCluster::instance().socketDirectory() + "/.s.PGSQL.5432");
        const Profile profile{u"host=127.0.0.1 port=%1 sslmode=disable dbname=%2"_s.arg(wire.port())
                                  .arg(QString::fromStdString(m_database.name())),
                              u"postgres"_s};
        constexpr int kRows = 60'000;
        Query many = query(u"select i, repeat('x', 100) from generate_series(1, %1) i"_s.arg(kRows));
        many.streamed = streamed;
        int whole = 0, broken = 0;
        for (int kilobytes : {1, 64, 500, 2'000, 100'000}) {
            Connection connection(profile, {}, u"test"_s, std::make_shared<Wire>());
            QVERIFY(!connection.open());
            const std::int64_t before = wire.carried(Way::ToClient);
            std::atomic<bool> over = false;
            std::thread cutter([&] {
                while (!over && wire.carried(Way::ToClient) - before < std::int64_t{kilobytes} * 1024)
                    std::this_thread::sleep_for(std::chrono::microseconds(200));
                if (!over)
                    wire.resetOpen();
            });
            const Result<Rows> rows = connection.run(many);
            over = true;
            cutter.join();
            if (rows) {
                ++whole;
                QCOMPARE(rows->size(), kRows);
                QCOMPARE(rows->last().int64(0), kRows);
            } else {
                ++broken;
                QCOMPARE(rows.error().code, ErrorCode::DatabaseUnavailable);
            }
        }
        QVERIFY(whole >= 1); // the last one is never cut
        QVERIFY(broken >= 1);
    }

    // The same where the statement itself fails after it has begun to give rows.
    void aStatementThatFailsInItsMiddleIsAnError()
    {
        Connection connection(here(), {}, u"test"_s, std::make_shared<Wire>());
        QVERIFY(!connection.open());
        for (bool streamed : {false, true}) {
            Query breaks = query(u"select 1000 / (5000 - i) from generate_series(1, 10000) i"_s);
            breaks.streamed = streamed;
            const Result<Rows> rows = connection.run(breaks);
            QVERIFY(!rows);
            QVERIFY(connection.run(query(u"select 1"_s)).ok());
        }
    }

    // B106: a connection belongs to the thread that made it, and each has a name of its own.
    void aConnectionIsRefusedOnAnotherThread()
    {
        Connection connection(here(), {}, u"test"_s, std::make_shared<Wire>());
        QVERIFY(!connection.open());
        std::optional<Result<Rows>> elsewhere;
        std::thread other([&] { elsewhere = connection.run(query(u"select 1"_s)); });
        other.join();
        QVERIFY(elsewhere && !*elsewhere);
        QCOMPARE(elsewhere->error().code, ErrorCode::InvalidArgument);
        QVERIFY(connection.run(query(u"select 1"_s)).ok()); // and here it still works
    }

    void everySessionTakesItsConnectionsWithIt()
    {
        const qsizetype before = QSqlDatabase::connectionNames().size();
        for (int i = 0; i < 3; ++i) {
            Session session(here(), {});
            int answered = 0;
            for (Lane lane : {Lane::Read, Lane::Inspector})
                session.ask(lane, {query(u"select 1"_s)}, this,
                            [&](const Answer& answer) { answered += answer.failed() ? 0 : 1; });
            QTRY_COMPARE_WITH_TIMEOUT(answered, 2, 15'000);
            QVERIFY(QSqlDatabase::connectionNames().size() > before);
        }
        waitForThreads(std::chrono::seconds(8));
        QCOMPARE(QSqlDatabase::connectionNames().size(), before);
    }

    // B36: a QDateTime keeps milliseconds; two instants 1 µs apart must stay two, in order, there and back.
    void instantsKeepTheirMicroseconds()
    {
        Connection connection(here(), {}, u"test"_s, std::make_shared<Wire>());
        QVERIFY(!connection.open());
        const Result<Rows> rows = connection.run(query(u"select (extract(epoch from t) * 1000000)::bigint from "
                                                       u"unnest(array[timestamptz '2026-03-05 11:07:09.118001Z',"
                                                       " '2026-03-05 11:07:09.118002Z']) t"_s));
        QVERIFY(rows.ok());
        const std::int64_t first = rows->at(0).int64(0), second = rows->at(1).int64(0);
        QCOMPARE(second - first, 1);
        Query back = query(u"select count(*) from (values (timestamptz '2026-03-05 11:07:09.118001Z'),"
                           " (timestamptz '2026-03-05 11:07:09.118002Z')) v (t)"
                           " where t > timestamptz 'epoch' + interval '1 microsecond' * :cursor::bigint"_s);
        back.values.append({u":cursor"_s, QVariant::fromValue<qlonglong>(first)});
        const Result<Rows> after = connection.run(back);
        QVERIFY(after.ok());
        QCOMPARE(after->front().int64(0), 1);
    }

    // And none can come in by another door: a timestamp that reaches a row is a bug that is told at once.
    void noTimestampReachesTheConsole()
    {
        Connection connection(here(), {}, u"test"_s, std::make_shared<Wire>());
        QVERIFY(!connection.open());
        const Result<Rows> rows = connection.run(query(u"select clock_timestamp()"_s));
        QVERIFY(!rows);
        QCOMPARE(rows.error().code, ErrorCode::InvalidArgument);
    }
};

TEKIL_TEST(ConnectionTest)

#include "connection_test.moc"
