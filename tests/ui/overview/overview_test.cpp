// The page Overview over a real database: what it says against the rows, and what it says when it cannot know.
#include "tests/support/payment_seed.h"
#include "tests/support/proxy.h"
#include "tests/support/test_main.h"
#include "tests/support/ui_application.h"
#include "tests/support/ui_screens.h"
#include "tests/support/ui_watchdog.h"
#include "ui/overview/books_line.h"
#include "ui/overview/engine_list.h"
#include "ui/overview/overview_page.h"
#include "ui/payments/payments_page.h"
#include "ui/shell/appearance.h"
#include "ui/shell/main_window.h"
#include "ui/shell/standing_bands.h"
#include "ui/widgets/field.h"

#include <QSettings>
#include <QTest>

using namespace tekil;
using namespace tekil::test;
using namespace tekil::ui;
using namespace tekil::ui::overview;
using namespace Qt::Literals::StringLiterals;

namespace {

constexpr int kWait = 30'000;
const std::string kEngine = "'00000000-0000-7000-8000-0000000000ff'";

} // namespace

class OverviewTest : public QObject {
    Q_OBJECT

    std::unique_ptr<TestDatabase> m_database;
    std::unique_ptr<PaymentSeed> m_seed;
    QPointer<MainWindow> m_window;

    void signIn(const QString& login = u"operations1"_s, const QString& conninfo = {})
    {
        SignInPlace place;
        place.conninfo = conninfo.isEmpty() ? QString::fromStdString(m_database->dsn("nobody")) : conninfo;
        place.name = u"pay-core@db1"_s;
        place.environment = Environment::Demo;
        m_window = new MainWindow(place, login, nullptr, [](Session* session) {
            return QVector<DeskPage*>{new OverviewPage(session), new payments::PaymentsPage(session)};
        });
        m_window->resize(1440, 900);
        m_window->show();
        m_window->signInPage()->passwordField()->setText(u"right"_s);
        QTest::mouseClick(m_window->signInPage()->signInButton(), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->session(), kWait);
        QTRY_VERIFY_WITH_TIMEOUT(page()->reading(), kWait);
    }
    OverviewPage* page() const { return static_cast<OverviewPage*>(m_window->page(u"overview"_s)); }
    TileFace face(Tile which) const { return page()->tile(which)->face(); }
    StandingBand* engineBand() const { return m_window->engineBand(); }
    StandingBand* connectionBand() const { return m_window->connectionBand(); }
    // Alive for as long as a test takes.
    void beat()
    {
        m_database->sql("update tekil.engine_instance set heartbeat_at = clock_timestamp() + interval '5 minutes'");
    }
    void checkBooks()
    {
        m_database->sql("set search_path = pg_catalog; update tekil.books_turn set next_at = 'epoch';"
                        "select * from tekil.check_books("
                        + kEngine + ", '10 seconds')");
    }
    void seedSome()
    {
        for (int i = 0; i < 6; ++i)
            m_seed->payment("Completed", std::to_string(100 + i), 12'345);
        m_seed->payment("Failed", "200");
        m_seed->payment("Unknown", "300", 4'403'240);
        m_seed->payment("Unknown", "301", 100);
        m_seed->payment("Processing", "400", 2'148'010);
    }

private Q_SLOTS:
    void init()
    {
        QSettings().clear();
        applyAppearance(Language::English);
        m_database = std::make_unique<TestDatabase>();
        m_seed = std::make_unique<PaymentSeed>(*m_database);
    }
    void cleanup()
    {
        delete m_window;
        waitForThreads(std::chrono::seconds(8));
        m_seed.reset();
        m_database.reset();
    }

    void figuresAreThoseOfTheRows()
    {
        seedSome();
        checkBooks();
        beat();
        signIn();
        QCOMPARE(m_window->page(), page()); // it is where a person lands
        QCOMPARE(face(Tile::Unknown).value, u"2"_s);
        QCOMPARE(face(Tile::Unknown).words, u"44,033.40 TRY held"_s);
        QVERIFY(face(Tile::Unknown).asks);
        QVERIFY(face(Tile::OldestUnknown).value.contains(u's') || face(Tile::OldestUnknown).value.contains(u"min"_s));
        QCOMPARE(face(Tile::OldestProcessing).words, u"21,480.10 TRY held"_s);
        QCOMPARE(face(Tile::OldestProcessing).note, u"1 payment"_s);
        QCOMPARE(page()->flow()->face().nodes.value(PaymentState::Completed).count, u"6"_s);
        QCOMPARE(page()->flow()->face().nodes.value(PaymentState::Failed).count, u"1"_s);
        QCOMPARE(page()->reading()->oldestUnknown->operationId,
                 QString::fromStdString(m_database->sql(
                     "select operation_id from tekil.payment where status = 'Unknown' order by created_at limit 1")));
        QCOMPARE(page()->books()->headline(), u"Books balance"_s);
        QVERIFY2(page()->books()->detail().contains(u"accounts, 14 entries"_s), qPrintable(page()->books()->detail()));
        QVERIFY(page()->engines()->lines().front().startsWith(u"tekild · host · 1 runs"_s));
        QVERIFY(page()->statusParts().contains(u"10 payments"_s));
        QCOMPARE(m_seed->problems(), std::string());
        shootScreens(*m_window, u"overview-full"_s);
    }

    void everyWayOfTheTableIsDrawnAndNoOther()
    {
        signIn();
        const QVector<FlowWay> ways = page()->flow()->face().ways;
        QCOMPARE(ways.size(), static_cast<qsizetype>(kPaymentTransitions.size()));
        for (const PaymentTransition& row : kPaymentTransitions)
            QVERIFY(std::any_of(ways.begin(), ways.end(),
                                [&](const FlowWay& way) { return way.from == row.from && way.to == row.to; }));
        QVERIFY(FlowDiagram::widthOf(0) < FlowDiagram::widthOf(600));
        QVERIFY(FlowDiagram::widthOf(600) < FlowDiagram::widthOf(60'000));
        QCOMPARE(FlowDiagram::widthOf(9'000'000), static_cast<qreal>(px(8)));
    }

    void nothingYetReadsAsNothingAndNotAsAnError()
    {
        beat();
        signIn();
        QCOMPARE(face(Tile::Unknown).value, u"0"_s);
        QVERIFY(!face(Tile::Unknown).asks);
        QCOMPARE(face(Tile::OldestUnknown).value, u"–"_s);
        QCOMPARE(face(Tile::OldestUnknown).words, u"every outcome is known"_s);
        QCOMPARE(face(Tile::Payments).value, u"–"_s); // no engine gave a sign of life in the last minute
        QCOMPARE(page()->books()->state(), BooksState::Never);
        QVERIFY(!page()->failure()->isVisible());
        shootScreens(*m_window, u"overview-empty"_s);
    }

    void ratesCountSecondsThatWereSeenAndGapsStayGaps()
    {
        // Engines were alive for forty of the sixty seconds, and counted 2 a second in each of them.
        m_database->sql(
            "insert into tekil.engine_beat select date_trunc('second', clock_timestamp()) - n * interval '1 "
            "second', "
            + kEngine + " from generate_series(-5, 40) n");
        m_database->sql(
            "insert into tekil.payment_flow select date_trunc('second', clock_timestamp()) - n * interval '1 second', "
            + kEngine + ", 'accept', 'New', 'Processing', 'TRY', 2, 200 from generate_series(-5, 40) n");
        signIn();
        QCOMPARE(face(Tile::Payments).value, u"2.0"_s);
        QCOMPARE(face(Tile::Payments).unit, u"/s"_s);
        const SparkValues line = *face(Tile::Payments).line;
        QCOMPARE(line.size(), 60);
        QVERIFY(!line.front());
        QVERIFY(line.at(50) && *line.at(50) == 2);
    }

    void fewPaymentsAreToldByTheMinuteAndNeverAsNothing()
    {
        QCOMPARE(rateOf(0, 60).text(), u"0.0 /s"_s);
        QCOMPARE(rateOf(1, 60).text(), u"1 /min"_s);
        QCOMPARE(rateOf(60, 60).text(), u"1.0 /s"_s);
        QCOMPARE(rateOf(0, 0).text(), u"–"_s);
        setLanguage(Language::Turkish);
        QCOMPARE(rateOf(75, 60).figure, u"1,3"_s);
    }

    void booksThatDoNotBalanceAreAnAlarmWithTheRow()
    {
        seedSome();
        m_database->sql("update tekil.account set available_minor = available_minor + 7 where account_id = 101");
        checkBooks();
        beat();
        signIn();
        QCOMPARE(page()->books()->state(), BooksState::Wrong);
        QCOMPARE(page()->books()->headline(), u"Books do not balance"_s);
        QVERIFY2(page()->books()->detail().startsWith(u"Account 101: balance "_s),
                 qPrintable(page()->books()->detail()));
        shootScreens(*m_window, u"overview-alarm"_s);
        m_database->sql("update tekil.account set available_minor = available_minor - 7 where account_id = 101");
        checkBooks();
        QTRY_COMPARE_WITH_TIMEOUT(page()->books()->state(), BooksState::Balance, kWait);
    }

    void booksThatNobodyChecksAreNotCalledBalanced()
    {
        checkBooks();
        m_database->sql("update tekil.books_check set ended_at = ended_at - interval '12 minutes'");
        signIn();
        QCOMPARE(page()->books()->state(), BooksState::Stale);
        QVERIFY(page()->books()->detail().contains(u"12 min"_s));
        QVERIFY(page()->books()->detail().contains(u"no engine checks"_s));
    }

    void eachTileOpensTheListThatItCounts()
    {
        seedSome();
        signIn();
        auto* list = static_cast<payments::PaymentsPage*>(m_window->page(u"payments"_s));
        QTest::mouseClick(page()->tile(Tile::Unknown), Qt::LeftButton);
        QCOMPARE(m_window->page(), list);
        QCOMPARE(list->filterField()->text(), u"state:unknown"_s);
        QTRY_COMPARE_WITH_TIMEOUT(list->model()->rowCount(), 2, kWait);
        QTest::keyClick(m_window, Qt::Key_1, Qt::ControlModifier);
        QCOMPARE(m_window->page(), page());
        QVERIFY(page()->tile(Tile::Payments)->hasFocus());
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Right);
        QVERIFY(page()->tile(Tile::Completed)->hasFocus());
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(list->model()->rowCount(), 6, kWait);
        QTest::keyClick(m_window, Qt::Key_1, Qt::ControlModifier);
        QTest::keyClick(m_window, Qt::Key_3);
        QCOMPARE(list->filterField()->text(), u"state:failed"_s);
        QTest::keyClick(m_window, Qt::Key_1, Qt::ControlModifier);
        QTest::mouseClick(page()->flow()->node(PaymentState::Processing), Qt::LeftButton);
        QCOMPARE(list->filterField()->text(), u"state:processing"_s);
    }

    void whatChangesIsShownWithoutAsking()
    {
        m_seed->payment("Unknown", "1");
        signIn();
        QCOMPARE(face(Tile::Unknown).value, u"1"_s);
        m_seed->payment("Unknown", "2");
        m_seed->ringDoorbell();
        QTRY_COMPARE_WITH_TIMEOUT(face(Tile::Unknown).value, u"2"_s, kWait);
        QTRY_COMPARE_WITH_TIMEOUT(page()->reading()->payments(PaymentState::Unknown), 2, kWait);
    }

    void supportReadsAllOfIt()
    {
        seedSome();
        checkBooks();
        signIn(u"support1"_s);
        QCOMPARE(face(Tile::Unknown).value, u"2"_s);
        QCOMPARE(page()->books()->state(), BooksState::Balance);
        QVERIFY(!page()->failure()->isVisible());
    }

    void withoutAnEngineTheWindowSaysSinceWhen()
    {
        m_database->sql("update tekil.engine_instance set heartbeat_at = clock_timestamp() - interval '3 minutes'");
        signIn();
        QTRY_VERIFY_WITH_TIMEOUT(engineBand()->isVisible(), kWait);
        QVERIFY2(engineBand()->sentence().startsWith(u"No engine runs: nothing is being processed since "_s),
                 qPrintable(engineBand()->sentence()));
        QVERIFY(engineBand()->sentence().contains(u"3 min"_s));
        shootScreens(*m_window, u"overview-no-engine"_s);
        beat();
        QTRY_VERIFY_WITH_TIMEOUT(!engineBand()->isVisible(), kWait);
        m_database->sql("update tekil.engine_instance set draining_at = clock_timestamp(), heartbeat_at = "
                        "clock_timestamp() + interval '1 minute'");
        QTRY_COMPARE_WITH_TIMEOUT(engineBand()->sentence(), u"Every engine drains: no new payment is taken."_s, kWait);
        QVERIFY(engineBand()->isVisible());
    }

    void whatADeadEngineLeftIsCountedDown()
    {
        const std::string first = m_seed->payment("Processing", "1"), second = m_seed->payment("Processing", "2");
        m_database->sql("update tekil.engine_instance set heartbeat_at = clock_timestamp() - interval '1 minute'");
        m_database->sql(
            "insert into tekil.engine_instance (instance_id, program, version, host, pid, roles, heartbeat_at)"
            " values (gen_random_uuid(), 'tekild', '0', 'other', 2, '{api}', clock_timestamp() + interval '5 "
            "minutes')");
        signIn();
        QTRY_COMPARE_WITH_TIMEOUT(engineBand()->sentence(), u"Recovering 2 payments after an unclean end."_s, kWait);
        shootScreens(*m_window, u"overview-recovering"_s);
        m_seed->finish(first, "captured");
        QTRY_COMPARE_WITH_TIMEOUT(engineBand()->sentence(), u"Recovering 1 payment after an unclean end."_s, kWait);
        m_seed->finish(second, "captured");
        QTRY_VERIFY_WITH_TIMEOUT(!engineBand()->isVisible(), kWait);
    }

    void aCutWireKeepsTheDataSaysSinceWhenAndHealsByItself()
    {
        seedSome();
        beat();
        CuttingProxy wire(TestCluster::instance().socketDirectory() + "/.s.PGSQL.5432");
        signIn(u"operations1"_s, u"host=127.0.0.1 port=%1 sslmode=disable dbname=%2"_s.arg(wire.port())
                                     .arg(QString::fromStdString(m_database->name())));
        QCOMPARE(face(Tile::Unknown).value, u"2"_s);
        GuiWatchdog watchdog;
        wire.cut();
        QTRY_VERIFY_WITH_TIMEOUT(connectionBand()->isVisible(), kWait);
        QVERIFY(connectionBand()->sentence().startsWith(u"Connection lost at "_s));
        QVERIFY(connectionBand()->actButton()->isVisible());
        QVERIFY(!isCurrent(page()));
        QCOMPARE(face(Tile::Unknown).value, u"2"_s);
        QVERIFY(!engineBand()->isVisible()); // nothing is known of engines now
        QVERIFY(m_window->connectionText().startsWith(u"Not connected · data "_s));
        // Every page has the same band and the same greyness.
        m_window->showPage(u"payments"_s);
        QVERIFY(connectionBand()->isVisible());
        QVERIFY(!isCurrent(m_window->page()));
        m_window->showPage(u"overview"_s);
        {
            const GuiWatchdog::Pause pause(watchdog);
            shootScreens(*m_window, u"overview-lost"_s);
            m_seed->payment("Unknown", "900");
        }
        wire.pass();
        QTRY_VERIFY_WITH_TIMEOUT(!connectionBand()->isVisible(), 60'000);
        QTRY_VERIFY_WITH_TIMEOUT(isCurrent(page()), kWait);
        QTRY_COMPARE_WITH_TIMEOUT(face(Tile::Unknown).value, u"3"_s, kWait);
        QVERIFY2(!watchdog.stalled(), watchdog.report());
    }

    void aWireThatGoesSilentIsNoticedWithoutAnyError()
    {
        CuttingProxy wire(TestCluster::instance().socketDirectory() + "/.s.PGSQL.5432");
        signIn(u"operations1"_s, u"host=127.0.0.1 port=%1 sslmode=disable dbname=%2"_s.arg(wire.port())
                                     .arg(QString::fromStdString(m_database->name())));
        GuiWatchdog watchdog;
        wire.stall(Way::Both);
        QTRY_VERIFY_WITH_TIMEOUT(connectionBand()->isVisible(), kWait);
        QTest::mouseClick(connectionBand()->actButton(), Qt::LeftButton); // the try is swallowed as well
        QTest::keyClick(m_window, Qt::Key_F5);
        m_window->showPage(u"payments"_s);
        m_window->showPage(u"overview"_s);
        wire.pass();
        QTRY_VERIFY_WITH_TIMEOUT(!connectionBand()->isVisible(), 60'000);
        QVERIFY2(!watchdog.stalled(), watchdog.report());
    }

    void anotherContractUnderALivingConnectionIsSaidAndNothingIsAsked()
    {
        seedSome();
        signIn();
        m_database->sql(
            "create or replace function console.version() returns int language sql immutable as 'select 42'");
        QTRY_VERIFY_WITH_TIMEOUT(connectionBand()->isVisible(), kWait);
        QVERIFY2(connectionBand()->sentence().contains(u"version 42, this console %1"_s.arg(kConsoleVersion)),
                 qPrintable(connectionBand()->sentence()));
        QVERIFY(!connectionBand()->actButton()->isVisible()); // nothing is offered that would act
        QVERIFY(!isCurrent(page()));
        std::optional<Answer> answer;
        m_window->session()->ask(Lane::Read, readingQueries(), this, [&](const Answer& got) { answer = got; });
        QTRY_VERIFY_WITH_TIMEOUT(answer, kWait);
        QVERIFY(answer->failed());
        QCOMPARE(answer->error->code, ErrorCode::SchemaMismatch);
        shootScreens(*m_window, u"overview-wrong-schema"_s);
        m_database->sql("create or replace function console.version() returns int language sql immutable as 'select "
                        + std::to_string(kConsoleVersion) + "'");
        QTRY_VERIFY_WITH_TIMEOUT(!connectionBand()->isVisible(), 60'000);
    }

    void aLoginThatIsTakenAwayIsSaidAndMaySignInAgain()
    {
        signIn();
        m_database->sql("update tekil.operator set disabled = true where login = 'operations1'");
        QTRY_VERIFY_WITH_TIMEOUT(connectionBand()->isVisible(), kWait);
        QCOMPARE(connectionBand()->sentence(), u"This login was disabled."_s);
        QVERIFY(!isCurrent(page()));
        QTest::mouseClick(connectionBand()->actButton(), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->session(), kWait);
        QVERIFY(m_window->signInPage()->isVisible());
    }

    void aReadingThatFailsIsAnErrorAndNotAnEmptyPage()
    {
        seedSome();
        signIn();
        m_database->sql("drop view console.books_problem");
        QTRY_VERIFY_WITH_TIMEOUT(page()->failure()->isVisible(), kWait);
        QCOMPARE(page()->failure()->sentence(), u"The overview could not be read."_s);
        QCOMPARE(face(Tile::Unknown).value, u"2"_s);
        shootScreens(*m_window, u"overview-error"_s);
    }

    void everythingThatCanBeReachedHasAName()
    {
        seedSome();
        signIn();
        for (QWidget* widget : page()->findChildren<QWidget*>())
            if (widget->focusPolicy() != Qt::NoFocus && widget->isVisible())
                QVERIFY2(!widget->accessibleName().isEmpty(), widget->metaObject()->className());
    }
};

TEKIL_TEST(OverviewTest)

#include "overview_test.moc"
