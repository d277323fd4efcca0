// The application around its windows: closing asks and drains, a second person has a window of their own, and the
// engine's failures are bands.
#include "tests/support/payment_seed.h"
#include "tests/support/test_main.h"
#include "tests/support/ui_application.h"
#include "ui/overview/overview_page.h"
#include "ui/payments/payment_inspector.h"
#include "ui/payments/payments_page.h"
#include "ui/shell/appearance.h"
#include "ui/shell/desk.h"
#include "ui/shell/standing_bands.h"

#include <QApplication>
#include <QDialog>
#include <QLabel>
#include <QSettings>
#include <QSignalSpy>
#include <QTest>

using namespace tekil;
using namespace tekil::test;
using namespace tekil::ui;
using namespace Qt::Literals::StringLiterals;

namespace {

constexpr int kWait = 30'000;

// An engine as the console's own one looks from the window.
class PlayedEngine : public EmbeddedEngine {
public:
    EngineStatus now;
    int drains = 0, retries = 0;
    EngineStatus status() const override { return now; }
    QString directory() const override { return u"/var/lib/tekil"_s; }
    bool isDemo() const override { return true; }
    void retry() override { ++retries; }
    void drain() override { ++drains; }
    void become(EngineStatus::Phase phase, const QString& problem = {})
    {
        now.phase = phase;
        now.problem = problem;
        Q_EMIT changed();
    }
};

QVector<DeskPage*> makePages(Session* session)
{
    return {new overview::OverviewPage(session), new payments::PaymentsPage(session)};
}

} // namespace

class DeskTest : public QObject {
    Q_OBJECT

    std::unique_ptr<TestDatabase> m_database;
    std::unique_ptr<PaymentSeed> m_seed;
    std::unique_ptr<PlayedEngine> m_engine;
    std::unique_ptr<Desk> m_desk;
    QPointer<MainWindow> m_window;

    void open(const QString& record = {})
    {
        SignInPlace place;
        place.conninfo = QString::fromStdString(m_database->dsn("nobody"));
        place.environment = Environment::Demo;
        m_desk = std::make_unique<Desk>(DeskOptions{place, u"operations1"_s, record}, m_engine.get(), makePages);
        m_window = m_desk->openWindow();
        m_window->resize(1280, 800);
    }
    void signIn(MainWindow* window, const QString& login = u"operations1"_s)
    {
        window->signInPage()->loginField()->setText(login);
        window->signInPage()->passwordField()->setText(u"right"_s);
        QTest::mouseClick(window->signInPage()->signInButton(), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(window->session(), kWait);
    }
    // Answers the question that comes up while the window closes: by the n-th of its buttons. Its words.
    QStringList closeAndAnswer(int button)
    {
        QStringList words;
        QTimer::singleShot(0, this, [&] {
            auto* dialog = qobject_cast<QDialog*>(QApplication::activeModalWidget());
            if (!dialog)
                return;
            for (const QLabel* label : dialog->findChildren<QLabel*>())
                words << label->text();
            dialog->findChildren<Button*>().at(button)->click();
        });
        m_window->close();
        return words;
    }
    static QWidget* drainWindow()
    {
        for (QWidget* window : QApplication::topLevelWidgets())
            if (window->isVisible() && window->windowTitle() == u"Ending"_s)
                return window;
        return nullptr;
    }

private Q_SLOTS:
    void init()
    {
        QSettings().clear();
        applyAppearance(Language::English);
        m_database = std::make_unique<TestDatabase>();
        m_seed = std::make_unique<PaymentSeed>(*m_database);
        m_engine = std::make_unique<PlayedEngine>();
        m_engine->now.phase = EngineStatus::Phase::Running;
        m_engine->now.databaseReady = true;
        m_engine->now.conninfo = QString::fromStdString(m_database->dsn("nobody"));
    }
    void cleanup()
    {
        for (QWidget* window : QApplication::topLevelWidgets())
            if (qobject_cast<MainWindow*>(window))
                delete window;
        m_desk.reset();
        m_engine.reset();
        waitForThreads(std::chrono::seconds(8));
        m_seed.reset();
        m_database.reset();
    }

    void closingWithPaymentsOnTheirWayAsksAndMayBeTakenBack()
    {
        open();
        m_engine->now.inFlight = 3;
        m_engine->now.requestsLastMinute = 41;
        const QStringList words = closeAndAnswer(0);
        QVERIFY2(words.contains(u"3 payments are on their way."_s), qPrintable(words.join(u'|')));
        QVERIFY(words.contains(u"41 requests came in the last minute."_s));
        QVERIFY(m_window && m_window->isVisible());
        QCOMPARE(m_engine->drains, 0);
    }

    void closingThenDrainsInAWindowThatCannotBeClosedAndEndsWithTheEngine()
    {
        open();
        const QSignalSpy finished(m_desk.get(), &Desk::finished);
        m_engine->now.inFlight = 3;
        QVERIFY(!closeAndAnswer(1).isEmpty());
        QCOMPARE(m_engine->drains, 1);
        QVERIFY(drainWindow());
        drainWindow()->close();
        QVERIFY(drainWindow());
        QCOMPARE(finished.count(), 0);
        m_engine->become(EngineStatus::Phase::Stopped);
        QCOMPARE(finished.count(), 1);
        QVERIFY(!drainWindow());
    }

    void closingAnIdleEngineAsksNothing()
    {
        open();
        QVERIFY(closeAndAnswer(1).isEmpty());
        QCOMPARE(m_engine->drains, 1);
    }

    void onlyTheLastWindowEndsTheEngine()
    {
        open();
        m_engine->now.inFlight = 3;
        Q_EMIT m_window->anotherWindowWanted();
        QPointer<MainWindow> other;
        for (QWidget* window : QApplication::topLevelWidgets())
            if (auto* one = qobject_cast<MainWindow*>(window); one && one != m_window)
                other = one;
        QVERIFY(other);
        QVERIFY(closeAndAnswer(1).isEmpty());
        QCOMPARE(m_engine->drains, 0);
        QVERIFY(other->isVisible());
    }

    void aSecondWindowIsASecondPerson()
    {
        open();
        signIn(m_window);
        Q_EMIT m_window->anotherWindowWanted();
        MainWindow* other = nullptr;
        for (QWidget* window : QApplication::topLevelWidgets())
            if (auto* one = qobject_cast<MainWindow*>(window); one && one != m_window)
                other = one;
        QVERIFY(other);
        QVERIFY(!other->session());
        signIn(other, u"support1"_s);
        QVERIFY(m_window->windowTitle().contains(u"operations1"_s));
        QVERIFY(other->windowTitle().contains(u"support1"_s));
        QCOMPARE(m_window->session()->facts().role, u"operations"_s);
        QCOMPARE(other->session()->facts().role, u"support"_s);
    }

    void openShowsThePaymentAfterTheSignIn()
    {
        const QString id = QString::fromStdString(m_seed->payment("Unknown", "45982"));
        open(id);
        signIn(m_window);
        QCOMPARE(m_window->page()->id(), u"payments"_s);
        auto* inspector = static_cast<payments::PaymentInspector*>(m_window->page()->inspector());
        QTRY_VERIFY_WITH_TIMEOUT(inspector->record(), kWait);
        QCOMPARE(inspector->operationId(), id);
        QVERIFY(inspector->isVisible());
    }

    void anEngineThatFailedIsABandWithWhyAndAWayOut()
    {
        open();
        signIn(m_window);
        m_engine->become(EngineStatus::Phase::Failed, u"127.0.0.1:8080 is taken by nginx (pid 812)"_s);
        StandingBand* band = m_window->engineBand();
        QVERIFY(band->isVisible());
        QCOMPARE(band->sentence(), u"The engine of this console does not run."_s);
        QVERIFY(band->accessibleDescription().contains(u"taken by nginx (pid 812)"_s));
        QVERIFY(!QApplication::activeModalWidget());
        QTest::mouseClick(band->actButton(), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(m_engine->retries, 1, kWait);
        m_engine->become(EngineStatus::Phase::Draining);
        QCOMPARE(band->sentence(), u"The engine of this console drains."_s);
        m_engine->become(EngineStatus::Phase::Running);
        QTRY_VERIFY_WITH_TIMEOUT(!band->isVisible() || band->sentence() != u"The engine of this console drains."_s,
                                 kWait);
    }

    void aWrongPasswordKeepsTheWindowAndTheLogin()
    {
        open();
        m_window->signInPage()->loginField()->setText(u"nobody_at_all"_s);
        m_window->signInPage()->passwordField()->setText(u"wrong"_s);
        QTest::mouseClick(m_window->signInPage()->signInButton(), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->signInPage()->message().isEmpty(), kWait);
        QVERIFY(!m_window->session());
        QCOMPARE(m_window->signInPage()->loginField()->text(), u"nobody_at_all"_s);
        QVERIFY(m_window->isVisible());
    }
};

TEKIL_TEST(DeskTest)

#include "desk_test.moc"
