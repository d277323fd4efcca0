// A database in which somebody is always in the way, as a merchant sees it: a clean 503 that may be repeated with the
// same key, never a decline and never a 500; and the same key runs once the way is free.
#include "tests/support/engine_lab.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <future>
#include <memory>

using namespace tekil::test;

class BusyTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { m_lab = std::make_unique<EngineLab>(); }
    void cleanupTestCase() { m_lab.reset(); }
    void cleanup() { QCOMPARE(m_lab->judge(), std::string()); }

    void whatCannotBeStoredIsA503AndItsKeyRunsLater_data();
    void whatCannotBeStoredIsA503AndItsKeyRunsLater();
    void aHundredPaymentsAtOnceAllSucceedThoughEveryThirdWriteFails();

private:
    // A row trigger of the schema's owner, as a fault of the server's would come.
    void breakTable(const std::string& table, const std::string& body) const
    {
        m_lab->sql(
            "create sequence if not exists tekil.fault_hits; grant usage on sequence tekil.fault_hits to "
            "tekil_engine; create or replace function tekil.fault() returns trigger language plpgsql as $f$ begin "
                + body + "; return new; end $f$; create trigger aa_fault before insert or update on tekil." + table
                + " for each row execute function tekil.fault()",
            "tekil_owner");
    }
    void mendTable(const std::string& table) const
    {
        m_lab->sql("drop trigger aa_fault on tekil." + table, "tekil_owner");
    }

    std::unique_ptr<EngineLab> m_lab;
};

void BusyTest::whatCannotBeStoredIsA503AndItsKeyRunsLater_data()
{
    QTest::addColumn<QString>("table");
    QTest::newRow("before the claim") << "idempotency_record";
    QTest::newRow("before accept") << "account";
}

// B20, B27
void BusyTest::whatCannotBeStoredIsA503AndItsKeyRunsLater()
{
    QFETCH(const QString, table);
    QCOMPARE(m_lab->post(payment("1.00"), freshKey()).status, 201);
    const std::string body = payment("10.00"), key = freshKey();
    const auto payments = m_lab->count("payment");
    breakTable(table.toStdString(), "raise 'busy' using errcode = '40001'");
    const Reply refused = m_lab->post(body, key);
    QCOMPARE(refused.status, 503);
    QCOMPARE(refused.problem(), std::string("overloaded"));
    QCOMPARE(refused.member("retry"), std::string("same-key"));
    QVERIFY(std::atoi(refused.header("Retry-After").c_str()) >= 1);
    mendTable(table.toStdString());
    QCOMPARE(m_lab->count("payment"), payments);
    QVERIFY(m_lab->becomes("select count(*) from tekil.idempotency_record where status = 'Processing'", "0"));
    const Reply paid = m_lab->post(body, key);
    QCOMPARE(paid.status, 201);
    QCOMPARE(m_lab->post(body, key).body, paid.body);
    QCOMPARE(m_lab->count("payment"), payments + 1);
    QCOMPARE(m_lab->chargesOf(paid.member("operationId")), 1);
}

// B27, B28
void BusyTest::aHundredPaymentsAtOnceAllSucceedThoughEveryThirdWriteFails()
{
    const std::string account = m_lab->openAccount("TRY", "100.00");
    breakTable("account", "if nextval('tekil.fault_hits') % 3 = 0 then raise 'busy' using errcode = '40001'; end if");
    std::vector<std::future<Reply>> waiting;
    for (int i = 0; i < 100; ++i)
        waiting.push_back(std::async(std::launch::async, [this, &account] {
            return m_lab->post(payment("1.00", "TRY", R"(,"accountId":)" + account), freshKey());
        }));
    int paid = 0;
    for (auto& one : waiting) {
        const Reply reply = one.get();
        QVERIFY2(reply.status == 201 || reply.status == 202 || reply.status == 503, reply.head.c_str());
        paid += reply.status == 503 ? 0 : 1;
    }
    mendTable("account");
    QVERIFY(paid > 0);
    const std::string mine = "from tekil.payment where account_id = " + account;
    QVERIFY(m_lab->becomes("select count(*) " + mine + " and status = 'Completed'", std::to_string(paid)));
    QCOMPARE(m_lab->sql("select count(*) " + mine + " and status <> 'Completed'"), std::string("0"));
}

TEKIL_TEST(BusyTest)
#include "busy_test.moc"
