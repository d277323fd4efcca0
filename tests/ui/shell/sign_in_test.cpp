// Signing in: right and wrong passwords, other databases, no database, other languages.
#include "tests/support/cluster.h"
#include "tests/support/test_main.h"
#include "tests/support/ui_application.h"
#include "ui/shell/appearance.h"
#include "ui/shell/sign_in_page.h"

#include <QFile>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

#include <fstream>

using namespace tekil;
using namespace tekil::test;
using namespace tekil::ui;
using namespace Qt::Literals::StringLiterals;

namespace {

constexpr int kWait = 15'000;

class StandingEngine : public EmbeddedEngine {
public:
    EngineStatus now;
    EngineStatus status() const override { return now; }
    QString directory() const override { return u"/var/lib/tekil"_s; }
    bool isDemo() const override { return true; }
    void retry() override {}
    void drain() override {}
};

void shoot(QWidget& widget, const QString& name)
{
    const QString folder = qEnvironmentVariable("TEKIL_SHOTS");
    if (!folder.isEmpty())
        QVERIFY(imageOf(widget).save(folder + u'/' + name + u".png"_s));
}

} // namespace

class SignInTest : public QObject {
    Q_OBJECT

    std::unique_ptr<TestDatabase> m_database;
    StandingEngine m_engine;
    std::unique_ptr<SignInPage> m_page;
    std::unique_ptr<Session> m_session;

    void makeLogin(const std::string& login, const std::string& role)
    {
        m_database->sql("do $$ begin if not exists (select from pg_roles where rolname = '" + login
                        + "') then create role " + login + " login inherit in role tekil_" + role
                        + " password 'right'; end if; insert into tekil.operator"
                        + " (login_oid, login, role) select oid, rolname, '" + role
                        + "' from pg_roles where rolname = '" + login + "'; end $$");
    }
    void show(const QString& conninfo, const QString& demoLogins = {})
    {
        SignInPlace place{conninfo, {}, Environment::Demo, demoLogins};
        m_engine.now = {};
        m_engine.now.phase = EngineStatus::Phase::Running;
        m_engine.now.databaseReady = true;
        m_engine.now.conninfo = conninfo;
        m_engine.now.serverMajor = 15;
        m_engine.now.schemaVersion = 5;
        m_page = std::make_unique<SignInPage>(place, u"desk1"_s, &m_engine);
        connect(m_page.get(), &SignInPage::signedIn, this, [this](Session* session) { m_session.reset(session); });
        m_page->resize(1440, 900);
        m_page->show();
    }
    void signIn(const QString& login, const QString& password)
    {
        m_page->loginField()->setText(login);
        m_page->passwordField()->setText(password);
        QTest::keyClick(m_page->passwordField(), Qt::Key_Return);
    }
    QString here() const { return QString::fromStdString(m_database->dsn("nobody")); }

private Q_SLOTS:
    void initTestCase()
    {
        const std::string data = TestCluster::instance().socketDirectory() + "/data";
        std::ofstream(data + "/pg_hba.conf") << "local all desk1,desk2,stranger1 scram-sha-256\nlocal all all trust\n";
        TestDatabase(TestDatabase::Content::Empty).sql("select pg_reload_conf()");
    }
    void init()
    {
        QSettings().clear();
        applyAppearance(Language::English);
        m_database = std::make_unique<TestDatabase>();
        makeLogin("desk1", "operations");
    }
    void cleanup()
    {
        m_page.reset();
        m_session.reset();
        waitForThreads(std::chrono::seconds(8));
        m_database.reset();
    }

    void rightPasswordSignsInAndIsForgotten()
    {
        show(here());
        signIn(u"desk1"_s, u"right"_s);
        QTRY_VERIFY_WITH_TIMEOUT(m_session, kWait);
        QCOMPARE(m_session->state().kind, ConnectionState::Kind::Live);
        QCOMPARE(m_session->facts().role, u"operations"_s);
        QVERIFY(m_page->passwordField()->text().isEmpty());
        const QSettings settings;
        for (const QString& key : settings.allKeys())
            QVERIFY(!settings.value(key).toString().contains(u"right"_s));
    }

    void wrongPasswordSaysSoAndKeepsTheLogin()
    {
        show(here());
        signIn(u"desk1"_s, u"wrong"_s);
        QTRY_COMPARE_WITH_TIMEOUT(m_page->message(), u"Login or password is wrong."_s, kWait);
        QCOMPARE(m_page->loginField()->text(), u"desk1"_s);
        QVERIFY(m_page->signInButton()->isEnabled());
        QVERIFY(!m_session);
        shoot(*m_page, u"sign-in-wrong-password"_s);
    }

    void disabledOperatorIsTold()
    {
        m_database->sql("update tekil.operator set disabled = true where login = 'desk1'");
        show(here());
        signIn(u"desk1"_s, u"right"_s);
        QTRY_COMPARE_WITH_TIMEOUT(m_page->message(), u"This login is disabled."_s, kWait);
    }

    void loginThatIsNoOperatorIsTold()
    {
        m_database->sql("do $$ begin if not exists (select from pg_roles where rolname = 'stranger1') then"
                        " create role stranger1 login password 'right'; end if; end $$");
        show(here());
        signIn(u"stranger1"_s, u"right"_s);
        QTRY_COMPARE_WITH_TIMEOUT(m_page->message(), u"This login is no operator here."_s, kWait);
    }

    void otherContractIsRefused()
    {
        m_database->sql(
            "create or replace function console.version() returns int language sql immutable as 'select 42'");
        show(here());
        signIn(u"desk1"_s, u"right"_s);
        QTRY_COMPARE_WITH_TIMEOUT(m_page->message(), u"This console and the database do not fit."_s, kWait);
        shoot(*m_page, u"sign-in-wrong-schema"_s);
    }

    void databaseThatIsNotTekilIsTold()
    {
        const TestDatabase empty(TestDatabase::Content::Empty);
        show(QString::fromStdString(empty.dsn("nobody")));
        signIn(u"desk1"_s, u"right"_s);
        QTRY_COMPARE_WITH_TIMEOUT(m_page->message(), u"This is no Tekil database."_s, kWait);
    }

    void serverThatIsNotThereIsTriedAgain()
    {
        show(u"host=/nonexistent dbname=tekil"_s);
        signIn(u"desk1"_s, u"right"_s);
        QTRY_COMPARE_WITH_TIMEOUT(m_page->message(), u"The database does not answer."_s, kWait);
        shoot(*m_page, u"sign-in-no-database"_s);
    }

    void demoPeopleAreOfferedOnlyWhereTheirFileIs()
    {
        const QTemporaryDir directory;
        const QString path = directory.filePath(u"demo-logins"_s);
        show(here(), path);
        QVERIFY(m_page->findChildren<QAbstractButton*>().size() < 8);
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("support1\tsupport\tx\noperations1\toperations\tx\nfinance1\tfinance\tx\nfinance2\tfinance\tx\n"
                   "auditor1\tauditor\tx\nadmin1\tadmin\tx\ndesk1\toperations\tright\n");
        file.close();
        const auto person = [this]() -> QAbstractButton* {
            for (QAbstractButton* button : m_page->findChildren<QAbstractButton*>())
                if (button->text() == u"desk1"_s)
                    return button;
            return nullptr;
        };
        QTRY_VERIFY_WITH_TIMEOUT(person(), kWait);
        shoot(*m_page, u"sign-in-demo"_s);
        toggleTheme();
        shoot(*m_page, u"sign-in-demo-dark"_s);
        toggleTheme();
        setLanguage(Language::Turkish);
        QTest::qWait(50);
        QCOMPARE(m_page->signInButton()->text(), u"Oturum aç"_s);
        shoot(*m_page, u"sign-in-demo-tr"_s);
        QTest::mouseClick(person(), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(m_session, kWait);
        QCOMPARE(m_session->facts().login, u"desk1"_s);
    }
};

TEKIL_TEST(SignInTest)

#include "sign_in_test.moc"
