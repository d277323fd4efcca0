// People: a login made with a SCRAM verifier reads what its role may read, and nobody makes logins beside the owner.
#include "core/people/operators.h"
#include "core/people/scram.h"
#include "tests/db/payments/books.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <fstream>

using namespace tekil;
using namespace tekil::test;

namespace {

const char* const kRoles[] = {"support", "operations", "finance", "auditor", "admin"};

std::string sqlStateOf(db::Connection& connection, const std::string& sql)
{
    const auto done = connection.exec(sql);
    return done ? "" : done.error().sqlState;
}

// Logins belong to the cluster, not to the test's database, so each test takes names of its own.
class Desk {
public:
    explicit Desk(std::string prefix) : m_prefix(std::move(prefix)), m_owner(connectTo(books.database, "tekil_owner"))
    {
        for (const char* role : kRoles)
            if (const auto added = people::addOperator(m_owner, loginOf(role), role, kPassword); !added)
                qFatal("%s", added.error().detail.c_str());
        books.sent("1", 1'000);
        books.sql("update tekil.payment set customer_id = 'customer-4711', description = 'private words'; "
                  "update tekil.idempotency_record set customer_id = 'customer-4711', description = 'private words'; "
                  "update tekil.provider_attempt set request_body = 'request words', answer_body = 'answer words'");
    }

    std::string loginOf(const std::string& role) const { return m_prefix + "_" + role; }
    db::Connection signedIn(const std::string& role) { return connectTo(books.database, loginOf(role).c_str()); }
    db::Connection& owner() { return m_owner; }

    static constexpr const char* kPassword = "correct-horse-9";
    Books books{100'000};

private:
    std::string m_prefix;
    db::Connection m_owner;
};

std::string read(db::Connection& connection, const std::string& sql)
{
    const db::Rows rows = must(connection.exec(sql, db::Mode::Reads));
    return rows.count() == 0 || rows.isNull(0, 0) ? "" : std::string(rows.text(0, 0));
}

} // namespace

class PeopleTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aPasswordOpensTheDoorAndAnotherOneDoesNot();
    void everyRoleReadsTheConsoleAndNoTable();
    void supportSeesCustomersMasked();
    void nobodyButTheOwnerMakesLogins();
    void aPersonMayNotBecomeAnotherRole();
    void whatCannotBeALoginIsRefused_data();
    void whatCannotBeALoginIsRefused();
    void theServerHoldsAVerifierAndNoPassword();
};

// The cluster trusts every login; here it asks for the password, as a server does.
void PeopleTest::aPasswordOpensTheDoorAndAnotherOneDoesNot()
{
    Desk desk("door");
    const std::string file = desk.books.sql("show hba_file");
    std::ifstream in(file);
    const std::string trusting{std::istreambuf_iterator<char>(in), {}};
    std::ofstream(file) << "local all door_finance scram-sha-256\n" << trusting;
    desk.books.sql("select pg_reload_conf()");
    const std::string dsn = desk.books.database.dsn("door_finance");
    auto refused = db::Connection::open(dsn + " password=wrong-horse-99");
    for (int i = 0; i < 100 && refused.ok(); ++i) { // the reload takes a moment
        QTest::qWait(20);
        refused = db::Connection::open(dsn + " password=wrong-horse-99");
    }
    auto opened = db::Connection::open(dsn + " password=" + Desk::kPassword);
    auto empty = db::Connection::open(dsn);
    std::ofstream(file) << trusting;
    desk.books.sql("select pg_reload_conf()");
    QVERIFY(!refused.ok());
    QVERIFY(!empty.ok());
    QVERIFY2(opened.ok(), opened ? "" : opened.error().detail.c_str());
    QCOMPARE(read(*opened, "select login || ' ' || role from console.session()"), std::string("door_finance finance"));
}

void PeopleTest::everyRoleReadsTheConsoleAndNoTable()
{
    Desk desk("reads");
    const std::string tables = desk.books.sql("select string_agg(relname, ' ' order by relname) from pg_class "
                                              "where relnamespace = 'tekil'::regnamespace and relkind in ('r', 'v')");
    const std::string views = desk.books.sql("select string_agg(relname, ' ' order by relname) from pg_class "
                                             "where relnamespace = 'console'::regnamespace and relkind = 'v'");
    const auto each = [](const std::string& names) { return QString::fromStdString(names).split(QLatin1Char(' ')); };
    QVERIFY(each(tables).size() > 15);
    QVERIFY(each(views).size() > 5);
    for (const char* role : kRoles) {
        db::Connection person = desk.signedIn(role);
        for (const QString& view : each(views)) {
            const std::string sql = "select * from console." + view.toStdString();
            QVERIFY2(sqlStateOf(person, sql).empty(), (std::string(role) + ": " + sql).c_str());
            QVERIFY(sqlStateOf(person, "delete from console." + view.toStdString()) != "");
        }
        for (const QString& table : each(tables))
            QCOMPARE(sqlStateOf(person, "select * from tekil." + table.toStdString()), std::string("42501"));
        for (const char* call :
             {"select * from tekil.verify()", "select tekil.fund_account(gen_random_uuid(), 101, 1, 'me')",
              "select tekil.accept_payments('{}', '{}', gen_random_uuid())"})
            QCOMPARE(sqlStateOf(person, call), std::string("42501"));
        QCOMPARE(read(person, "select count(*) from console.payment"), std::string("1"));
    }
    QCOMPARE(desk.books.judge(), std::string());
}

void PeopleTest::supportSeesCustomersMasked()
{
    Desk desk("mask");
    db::Connection support = desk.signedIn("support");
    for (const char* view : {"payment", "idempotency_record"}) {
        QCOMPARE(read(support, std::string("select customer_id from console.") + view), std::string("•••11"));
        QCOMPARE(read(support, std::string("select description from console.") + view), std::string());
    }
    const std::string bodies
        = "select coalesce(request_body, '') || coalesce(answer_body, '') from console.provider_attempt";
    QCOMPARE(read(support, bodies), std::string());
    for (const char* role : {"operations", "finance", "auditor"}) {
        db::Connection person = desk.signedIn(role);
        QCOMPARE(read(person, "select customer_id || description from console.payment"),
                 std::string("customer-4711private words"));
        QCOMPARE(read(person, bodies), std::string("request wordsanswer words"));
    }
    db::Connection admin = desk.signedIn("admin"); // sets up, and has no business with customers
    QCOMPARE(read(admin, "select customer_id from console.payment"), std::string("•••11"));
}

void PeopleTest::nobodyButTheOwnerMakesLogins()
{
    Desk desk("makers");
    const auto verifier = must(people::scramVerifier("another-horse-8"));
    std::vector<std::string> logins{"tekil_engine"};
    for (const char* role : kRoles)
        logins.push_back(desk.loginOf(role));
    for (const std::string& login : logins) {
        db::Connection person = connectTo(desk.books.database, login.c_str());
        QCOMPARE(sqlStateOf(person, "create role makers_eve login"), std::string("42501"));
        QCOMPARE(sqlStateOf(person, "select tekil.make_operator('makers_eve', 'finance', '" + verifier + "')"),
                 std::string("42501"));
        QCOMPARE(sqlStateOf(person, "set role tekil_login_maker"), std::string("42501"));
        const auto added = people::addOperator(person, "makers_eve", "finance", "another-horse-8");
        QVERIFY(!added.ok());
        QCOMPARE(added.error().code, ErrorCode::PermissionDenied);
    }
    QCOMPARE(desk.books.sql("select count(*) from pg_roles where rolname = 'makers_eve'"), std::string("0"));
    QCOMPARE(desk.books.sql("select count(*) from tekil.operator where login = 'makers_eve'"), std::string("0"));
}

void PeopleTest::aPersonMayNotBecomeAnotherRole()
{
    Desk desk("becomes");
    db::Connection support = desk.signedIn("support");
    for (const char* role : {"tekil_operations", "tekil_finance", "tekil_auditor", "tekil_admin", "tekil_engine",
                             "tekil_owner", "postgres", "becomes_finance"}) {
        QCOMPARE(sqlStateOf(support, std::string("set role ") + role), std::string("42501"));
        QCOMPARE(sqlStateOf(support, std::string("grant ") + role + " to becomes_support"), std::string("42501"));
    }
    QCOMPARE(sqlStateOf(support, "create table console.mine (a int)"), std::string("42501"));
    QCOMPARE(sqlStateOf(support, "create schema mine"), std::string("42501"));
}

void PeopleTest::whatCannotBeALoginIsRefused_data()
{
    QTest::addColumn<QByteArray>("login");
    QTest::addColumn<QByteArray>("role");
    QTest::addColumn<QByteArray>("password");
    QTest::newRow("upper case") << QByteArray("Desk1") << QByteArray("support") << QByteArray("correct-horse-9");
    QTest::newRow("a name of the system")
        << QByteArray("postgres") << QByteArray("support") << QByteArray("correct-horse-9");
    QTest::newRow("a service's name") << QByteArray("tekil_engine") << QByteArray("support")
                                      << QByteArray("correct-horse-9");
    QTest::newRow("SQL") << QByteArray("a; drop table x") << QByteArray("support") << QByteArray("correct-horse-9");
    QTest::newRow("empty") << QByteArray("") << QByteArray("support") << QByteArray("correct-horse-9");
    QTest::newRow("64 characters") << QByteArray(64, 'a') << QByteArray("support") << QByteArray("correct-horse-9");
    QTest::newRow("no such role") << QByteArray("desk1") << QByteArray("owner") << QByteArray("correct-horse-9");
    QTest::newRow("role engine") << QByteArray("desk1") << QByteArray("engine") << QByteArray("correct-horse-9");
    QTest::newRow("short password") << QByteArray("desk1") << QByteArray("support") << QByteArray("horse");
    QTest::newRow("password beyond ASCII")
        << QByteArray("desk1") << QByteArray("support") << QByteArray("doğru-at-pil-zımba");
}

void PeopleTest::whatCannotBeALoginIsRefused()
{
    QFETCH(QByteArray, login);
    QFETCH(QByteArray, role);
    QFETCH(QByteArray, password);
    const TestDatabase database;
    db::Connection owner = connectTo(database, "tekil_owner");
    const std::string before = database.sql("select count(*) from pg_roles");
    const auto added = people::addOperator(owner, login.toStdString(), role.toStdString(), password.toStdString());
    QVERIFY(!added.ok());
    QCOMPARE(nameOf(added.error().code), nameOf(ErrorCode::InvalidArgument));
    QCOMPARE(database.sql("select count(*) from pg_roles"), before);
}

void PeopleTest::theServerHoldsAVerifierAndNoPassword()
{
    Desk desk("holds");
    const std::string stored = desk.books.sql("select rolpassword from pg_authid where rolname = 'holds_finance'");
    QVERIFY(stored.starts_with("SCRAM-SHA-256$4096:"));
    QVERIFY(stored.find(Desk::kPassword) == std::string::npos);
    QCOMPARE(people::addOperator(desk.owner(), "holds_finance", "finance", "correct-horse-9").error().code,
             ErrorCode::AlreadyExists);
    db::Connection owner = connectTo(desk.books.database, "tekil_owner");
    QCOMPARE(sqlStateOf(owner, "select tekil.make_operator('holds_plain', 'support', 'plain password')"),
             std::string("22023"));
    QVERIFY(must(people::scramVerifier("correct-horse-9")) != must(people::scramVerifier("correct-horse-9")));
    QVERIFY(people::makePassword() != people::makePassword());
    QCOMPARE(people::makePassword().size(), std::size_t(24));
}

TEKIL_TEST(PeopleTest)
#include "people_test.moc"
