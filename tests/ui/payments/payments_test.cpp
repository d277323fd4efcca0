// The page of payments over a real database, as a person sees and uses it.
#include "tests/support/payment_seed.h"
#include "tests/support/test_main.h"
#include "tests/support/ui_application.h"
#include "tests/support/ui_screens.h"
#include "ui/payments/payment_inspector.h"
#include "ui/payments/payments_page.h"
#include "ui/shell/appearance.h"
#include "ui/shell/desk.h"
#include "ui/shell/find_box.h"
#include "ui/shell/standing_bands.h"
#include "ui/widgets/entries_block.h"
#include "ui/widgets/facts_list.h"
#include "ui/widgets/field.h"
#include "ui/widgets/message_band.h"
#include "ui/widgets/record_table.h"
#include "ui/widgets/record_view.h"
#include "ui/widgets/table_notice.h"

#include <QElapsedTimer>
#include <QLabel>
#include <QSettings>
#include <QTest>

using namespace tekil;
using namespace tekil::test;
using namespace tekil::ui;
using namespace tekil::ui::payments;
using namespace Qt::Literals::StringLiterals;

namespace {

constexpr int kWait = 15'000;

void shoot(QWidget& widget, const QString& name)
{
    const QString folder = qEnvironmentVariable("TEKIL_SHOTS");
    if (!folder.isEmpty())
        QVERIFY(imageOf(widget).save(folder + u'/' + name + u".png"_s));
}

} // namespace

class PaymentsTest : public QObject {
    Q_OBJECT

    std::unique_ptr<TestDatabase> m_database;
    std::unique_ptr<PaymentSeed> m_seed;
    QPointer<MainWindow> m_window;

    void signIn(const QString& login = u"operations1"_s)
    {
        SignInPlace place;
        place.conninfo = QString::fromStdString(m_database->dsn("nobody"));
        place.name = u"pay-core@db1"_s;
        place.environment = Environment::Demo;
        m_window = new MainWindow(place, login, nullptr,
                                  [](Session* session) { return QVector<DeskPage*>{new PaymentsPage(session)}; });
        m_window->resize(1440, 900);
        m_window->show();
        m_window->signInPage()->passwordField()->setText(u"right"_s);
        QTest::mouseClick(m_window->signInPage()->signInButton(), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->session(), kWait);
        QTRY_VERIFY_WITH_TIMEOUT(page()->model()->status().kind == RecordStatus::Kind::Ready, kWait);
    }
    PaymentsPage* page() const { return static_cast<PaymentsPage*>(m_window->page()); }
    PaymentInspector* inspector() const { return static_cast<PaymentInspector*>(page()->inspector()); }
    MessageBand* band() const { return m_window->connectionBand(); }
    QString cell(int row, const QString& column) const
    {
        return page()->model()->index(row, page()->model()->columnOf(column)).data().toString();
    }
    void type(const QString& filter)
    {
        page()->focusFilter();
        page()->filterField()->clear();
        QTest::keyClicks(page()->filterField(), filter);
        QTest::keyClick(page()->filterField(), Qt::Key_Return);
    }
    QString texts(QWidget* under) const
    {
        QStringList all;
        for (const QLabel* label : under->findChildren<QLabel*>())
            all << label->text();
        return all.join(u'\n');
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

    void newestPaymentStandsFirstAndNewOnesAppearByThemselves()
    {
        m_seed->payment("Completed", "1");
        m_seed->payment("Failed", "2");
        signIn();
        QTRY_COMPARE_WITH_TIMEOUT(page()->model()->rowCount(), 2, kWait);
        QCOMPARE(cell(0, u"invoice"_s), u"2"_s);
        QCOMPARE(cell(1, u"state"_s), u"Completed"_s);
        m_seed->payment("Processing", "3");
        QElapsedTimer since;
        since.start();
        m_seed->ringDoorbell();
        QTRY_COMPARE_WITH_TIMEOUT(page()->model()->rowCount(), 3, kWait);
        QVERIFY2(since.elapsed() < 5'000, "it waited for the slow poll");
        QCOMPARE(cell(0, u"invoice"_s), u"3"_s);
    }

    void aStateThatChangesIsShownAndTheSelectionStays()
    {
        const std::string id = m_seed->payment("Processing", "1");
        m_seed->payment("Completed", "2");
        signIn();
        QTRY_COMPARE_WITH_TIMEOUT(page()->model()->rowCount(), 2, kWait);
        QVERIFY(page()->table()->select(QString::fromStdString(id)));
        m_seed->payment("Completed", "3");
        m_seed->finish(id, "captured");
        m_seed->ringDoorbell();
        QTRY_COMPARE_WITH_TIMEOUT(page()->model()->rowCount(), 3, kWait);
        QTRY_COMPARE_WITH_TIMEOUT(cell(2, u"state"_s), u"Completed"_s, kWait);
        QCOMPARE(page()->table()->currentId(), QString::fromStdString(id));
        QTRY_VERIFY_WITH_TIMEOUT(inspector()->record() && inspector()->record()->state == PaymentState::Completed,
                                 kWait);
    }

    void inspectorShowsBothLegsAndTheReservationOfACompletedPayment()
    {
        const QString id = QString::fromStdString(m_seed->payment("Completed", "45982"));
        signIn();
        m_window->page()->open(id);
        QTRY_VERIFY_WITH_TIMEOUT(inspector()->record(), kWait);
        const PaymentRecord& record = *inspector()->record();
        QCOMPARE(record.entries.size(), 2);
        QCOMPARE(record.entries.at(0).amountMinor + record.entries.at(1).amountMinor, 0);
        QCOMPARE(record.entries.at(0).accountId, 101);
        QVERIFY(record.reservation && record.reservation->state == ReservationState::Finalized);
        const auto* block = inspector()->findChild<EntriesBlock*>();
        QVERIFY(block->accessibleDescription().contains(u"−1,000.00 TRY"_s));
        QVERIFY(texts(inspector()).contains(u"bank-77"_s));
        QCOMPARE(m_seed->problems(), std::string());
    }

    void unknownPaymentSaysWhyAndWhatWouldBeWritten()
    {
        const QString id = QString::fromStdString(m_seed->payment("Unknown", "45982"));
        for (int i = 0; i < 24; ++i)
            m_seed->payment(i % 5 == 1   ? "Failed"
                            : i % 7 == 2 ? "Unknown"
                            : i > 21     ? "Processing"
                                         : "Completed",
                            (i % 4 == 0 ? "FTR-2026-0031" : "460") + std::to_string(i + 10), 7'425 + i * 91'300);
        signIn();
        m_window->page()->open(id);
        QTRY_VERIFY_WITH_TIMEOUT(inspector()->record(), kWait);
        QCOMPARE(inspector()->record()->wouldWrite.size(), 2);
        QVERIFY(inspector()->record()->entries.isEmpty());
        QVERIFY(texts(inspector()).contains(u"after the request was sent"_s));
        QVERIFY(!texts(inspector()).contains(u"no_answer"_s));
        QTest::qWait(1200);
        shoot(*m_window, u"unknown-light-en"_s);
        toggleTheme();
        QTest::qWait(200);
        shoot(*m_window, u"unknown-dark-en"_s);
        toggleTheme();
        setLanguage(Language::Turkish);
        QTest::qWait(1200);
        QCOMPARE(page()->model()->headerData(0, Qt::Horizontal, Qt::DisplayRole).toString(), u"Durum"_s);
        QVERIFY(texts(inspector()).contains(u"Neden belirsiz"_s));
        shoot(*m_window, u"unknown-light-tr"_s);
        setLanguage(Language::English);
        m_window->resize(1280, 720);
        QTest::qWait(1200);
        shoot(*m_window, u"payments-1280x720"_s);
        shootScreens(*m_window, u"payments-full-1280x720"_s);
    }

    void supportSeesNeitherCustomersNorBodies()
    {
        const QString id = QString::fromStdString(m_seed->payment("Completed", "1"));
        signIn(u"support1"_s);
        m_window->page()->open(id);
        QTRY_VERIFY_WITH_TIMEOUT(inspector()->record(), kWait);
        QCOMPARE(inspector()->record()->customer, u"•••18"_s);
        QVERIFY(inspector()->record()->attempts.front().requestBody.isEmpty());
    }

    void findsByOperationIdByInvoicePrefixAndByKey()
    {
        const QString id = QString::fromStdString(m_seed->payment("Completed", "FTR-77", 5'000, "order 77 x"));
        m_seed->payment("Completed", "FTR-78");
        signIn();
        const auto found = [this](const QString& text) {
            std::optional<FindAnswer> answer;
            page()->find(text, [&](const FindAnswer& got) { answer = got; });
            [&] { QTRY_VERIFY_WITH_TIMEOUT(answer.has_value(), kWait); }();
            return answer.value_or(FindAnswer{});
        };
        QCOMPARE(found(id).hits.front().id, id);
        QCOMPARE(found(u"order 77 x"_s).hits.front().id, id);
        QCOMPARE(found(u"FTR-"_s).hits.size(), 2);
        QCOMPARE(found(u"FTR_"_s).hits.size(), 0);
    }

    void ctrlKFindsAndEnterOpens()
    {
        const QString id = QString::fromStdString(m_seed->payment("Completed", "77"));
        m_seed->payment("Completed", "88");
        signIn();
        QTest::keyClick(m_window, Qt::Key_K, Qt::ControlModifier);
        Field* field = m_window->topBar()->findBox()->field();
        QTRY_VERIFY(field->hasFocus());
        QTest::keyClicks(field, u"shop-77"_s);
        QTRY_COMPARE_WITH_TIMEOUT(m_window->topBar()->findBox()->results()->count(), 1, kWait);
        shoot(*m_window, u"find"_s);
        QTest::keyClick(field, Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(inspector()->record() && inspector()->operationId() == id, kWait);
        QVERIFY(page()->table()->isAncestorOf(QApplication::focusWidget()));
    }

    void filterNarrowsAndAnUnknownWordIsExplained()
    {
        m_seed->payment("Completed", "1", 50'000);
        m_seed->payment("Unknown", "2", 250'000);
        m_seed->payment("Unknown", "3", 20'000);
        signIn();
        type(u"state:unknown amount>1000"_s);
        QTRY_COMPARE_WITH_TIMEOUT(page()->model()->rowCount(), 1, kWait);
        QCOMPARE(cell(0, u"invoice"_s), u"2"_s);
        type(u"state:unkown"_s);
        QCOMPARE(page()->filterField()->error(), u"“unkown” is not a state. Did you mean unknown? (character 7)"_s);
        QCOMPARE(page()->model()->rowCount(), 1);
        shoot(*m_window, u"filter-error"_s);
        type(
            u"created:today account:101..199 currency:try merchant:shop provider:bank type:sale invoice:1 key:shop-1"_s);
        QTRY_COMPARE_WITH_TIMEOUT(cell(0, u"invoice"_s), u"1"_s, kWait);
        type(u"invoice:9*"_s);
        QTRY_COMPARE_WITH_TIMEOUT(page()->model()->rowCount(), 0, kWait);
        QTRY_COMPARE_WITH_TIMEOUT(page()->findChild<TableNotice*>()->what(), u"No payment matches invoice:9*."_s,
                                  kWait);
        shoot(*m_window, u"nothing-matches"_s);
    }

    void emptyDatabaseSaysSo()
    {
        signIn();
        QTRY_COMPARE_WITH_TIMEOUT(page()->findChild<TableNotice*>()->what(), u"There are no payments yet."_s, kWait);
        QTest::qWait(1100);
        shoot(*m_window, u"empty"_s);
        shootScreens(*m_window, u"payments-empty"_s);
    }

    void selectionIsSummedExactly()
    {
        m_seed->payment("Completed", "1", 10);
        m_seed->payment("Completed", "2", 20);
        signIn();
        QTRY_COMPARE_WITH_TIMEOUT(page()->model()->rowCount(), 2, kWait);
        page()->table()->mainView()->selectAll();
        QTRY_VERIFY(page()->statusParts().contains(u"2 selected: 0.30 TRY"_s));
        QVERIFY(page()->statusParts().contains(u"2 payments"_s));
    }

    void olderPagesAreReadAsTheReaderScrolls()
    {
        m_database->sql(
            "insert into tekil.payment (operation_id, merchant_id, idempotency_key, account_id, collection_account_id,"
            " provider_id, payment_type, invoice_id, invoice_is_number, amount_minor, currency, status, created_at, "
            "updated_at)"
            " select gen_random_uuid(), 1, 'k' || i, 101, (select min(account_id) from tekil.account where kind = "
            "'system'), 1,"
            " 'sale', i, true, 1, 'TRY', 'Processing', timestamptz '2026-03-01' + i / 3 * interval '1 microsecond', "
            "now()"
            " from generate_series(1, 700) i");
        signIn();
        QTRY_COMPARE_WITH_TIMEOUT(page()->model()->rowCount(), 200, kWait);
        for (int wanted : {400, 600, 700}) {
            QTRY_VERIFY_WITH_TIMEOUT(page()->model()->canFetchMore({}), kWait);
            page()->model()->fetchMore({});
            QTRY_COMPARE_WITH_TIMEOUT(page()->model()->rowCount(), wanted, kWait);
        }
        QSet<QString> ids;
        for (int row = 0; row < 700; ++row)
            ids << page()->model()->recordId(row);
        QCOMPARE(ids.size(), 700);
    }

    void lostConnectionKeepsTheDataHatchedAndComesBack()
    {
        const QString id = QString::fromStdString(m_seed->payment("Unknown", "1"));
        for (int i = 2; i < 20; ++i)
            m_seed->payment(i % 4 ? "Completed" : "Failed", std::to_string(i));
        signIn();
        m_window->page()->open(id);
        QTRY_VERIFY_WITH_TIMEOUT(inspector()->record(), kWait);
        const TestDatabase other(TestDatabase::Content::Empty); // the page's own lets nobody in for a while
        other.sql("alter database " + m_database->name() + " allow_connections false");
        other.sql(
            "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'tekil console%'");
        QTRY_VERIFY_WITH_TIMEOUT(band()->isVisible(), 6'000);
        QVERIFY(!isCurrent(page()));
        QVERIFY(band()->sentence().startsWith(u"Connection lost at "_s));
        QCOMPARE(page()->model()->rowCount(), 19);
        QTest::qWait(1500);
        shoot(*m_window, u"connection-lost"_s);
        shootScreens(*m_window, u"payments-lost"_s);
        other.sql("alter database " + m_database->name() + " allow_connections true");
        QTRY_VERIFY_WITH_TIMEOUT(!band()->isVisible(), 40'000);
        QVERIFY(isCurrent(page()));
        m_seed->payment("Completed", "99");
        m_seed->ringDoorbell();
        QTRY_COMPARE_WITH_TIMEOUT(cell(0, u"invoice"_s), u"99"_s, kWait);
    }

    void windowIsNeverStalled()
    {
        for (int i = 0; i < 60; ++i)
            m_seed->payment("Completed", std::to_string(i));
        signIn();
        QTRY_COMPARE_WITH_TIMEOUT(page()->model()->rowCount(), 60, kWait);
        qint64 worst = 0;
        QElapsedTimer last;
        QTimer pulse;
        connect(&pulse, &QTimer::timeout, this, [&] { worst = std::max(worst, last.restart()); });
        last.start();
        pulse.start(5);
        for (int i = 0; i < 8; ++i) {
            m_database->sql("select pg_notify('tekil_changed', '')");
            last.restart();
            page()->open(page()->model()->recordId(i));
            QTest::qWait(120);
        }
        m_database->sql(
            "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'tekil console%'");
        last.restart();
        QTest::qWait(2500);
        qInfo("longest time the GUI thread was busy: %lld ms", static_cast<long long>(worst));
        QVERIFY2(worst < 400,
                 "the window stood still"); // shared machines and sanitizers: the measured figure is printed
    }
};

TEKIL_TEST(PaymentsTest)

#include "payments_test.moc"
