// The table of what fails first, each row a test by its name: retries in every form, four keys on two thousand, a
// crash, a time-out after a success, a message ten times. Always: one effect, and never "failed" for what is not known.
#include "tests/support/engine_lab.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <future>
#include <memory>
#include <set>

using namespace tekil::test;
using namespace std::chrono_literals;

class FailureFirstTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { m_lab = std::make_unique<EngineLab>(); }
    void cleanupTestCase() { m_lab.reset(); }
    void cleanup()
    {
        m_lab->script("{}");
        QCOMPARE(m_lab->judge(), std::string());
    }

    void oneHundredSerial();
    void oneHundredParallel();
    void otherPayload();
    void fourKeysOnTwoThousand();
    void crashAfterCommit();
    void providerSuccessThenTimeOut();
    void messageTenTimes();

private:
    std::unique_ptr<EngineLab> m_lab;
};

void FailureFirstTest::oneHundredSerial()
{
    const std::string body = payment("10.00");
    const std::string key = freshKey();
    const Reply first = m_lab->post(body, key);
    QCOMPARE(first.status, 201);
    for (int i = 1; i < 100; ++i) {
        const Reply again = m_lab->post(body, key);
        QCOMPARE(again.status, 201);
        QCOMPARE(again.body, first.body);
        QCOMPARE(again.header("Idempotent-Replayed"), std::string("true"));
    }
    QCOMPARE(m_lab->chargesOf(first.member("operationId")), 1);
}

void FailureFirstTest::oneHundredParallel()
{
    m_lab->script(R"({"rules":[{"do":"delay","ms":100}]})");
    std::set<std::string> operations;
    const std::string body = payment("10.00");
    const std::string key = freshKey();
    for (const Reply& reply : m_lab->postInParallel(body, key, 100)) {
        QVERIFY2(reply.status == 201 || reply.status == 409, reply.head.c_str());
        if (reply.status == 201)
            operations.insert(reply.member("operationId"));
        else
            QCOMPARE(reply.problem(), std::string("key-in-flight"));
    }
    QCOMPARE(operations.size(), std::size_t(1));
    QCOMPARE(m_lab->chargesOf(*operations.begin()), 1);
    QCOMPARE(m_lab->post(body, key).member("operationId"), *operations.begin());
}

void FailureFirstTest::otherPayload()
{
    const std::string key = freshKey();
    const Reply first = m_lab->post(payment("1000.00"), key);
    QCOMPARE(first.status, 201);
    for (int i = 0; i < 3; ++i)
        QCOMPARE(m_lab->post(payment("2000.00"), key).problem(), std::string("payload-mismatch"));
    QCOMPARE(m_lab->chargesOf(first.member("operationId")), 1);
    QCOMPARE(m_lab->sql("select count(*) from tekil.payment where idempotency_key = '" + key + "'"), std::string("1"));
}

void FailureFirstTest::fourKeysOnTwoThousand()
{
    const std::string account = m_lab->openAccount("TRY", "2000.00");
    std::vector<std::future<Reply>> running;
    for (int i = 0; i < 4; ++i)
        running.push_back(std::async(std::launch::async, [this, &account] {
            return m_lab->post(payment("1000.00", "TRY", ",\"accountId\":" + account), freshKey());
        }));
    int paid = 0, declined = 0;
    for (auto& each : running) {
        const int status = each.get().status;
        paid += status == 201 ? 1 : 0;
        declined += status == 402 ? 1 : 0;
    }
    QCOMPARE(paid, 2);
    QCOMPARE(declined, 2);
    QCOMPARE(
        m_lab->sql("select available_minor || '/' || reserved_minor from tekil.account where account_id = " + account),
        std::string("0/0"));
}

// The end was committed; its client never heard of it.
void FailureFirstTest::crashAfterCommit()
{
    const std::string body = payment("10.00");
    const std::string key = freshKey();
    const Reply first = m_lab->post(body, key);
    QCOMPARE(first.status, 201);
    m_lab->engine().process().kill();
    m_lab->restart();
    const Reply again = m_lab->post(body, key);
    QCOMPARE(again.status, 201);
    QCOMPARE(again.body, first.body);
    QCOMPARE(again.header("Idempotent-Replayed"), std::string("true"));
    QCOMPARE(m_lab->chargesOf(first.member("operationId")), 1);
}

void FailureFirstTest::providerSuccessThenTimeOut()
{
    m_lab->owner("update tekil.provider set timeout_ms = 500");
    m_lab->engine().process().kill(); // the next one reads the row anew
    m_lab->restart();
    m_lab->script(R"({"rules":[{"when":{"amount":"43.00"},"do":"delay","ms":1500,"at":"after"}]})");
    const std::string body = payment("43.00");
    const std::string key = freshKey();
    const Reply reply = m_lab->post(body, key, {"Prefer: wait=1"});
    QVERIFY2(reply.status == 202 || reply.status == 201, reply.head.c_str());
    QVERIFY(reply.member("status") != "Failed");
    const std::string id = reply.member("operationId");
    QVERIFY(m_lab->becomes("select status from tekil.payment where operation_id = '" + id + "'", "Completed"));
    QCOMPARE(m_lab->sql("select string_agg(from_status || '>' || to_status, ' ' order by version) from "
                        "tekil.payment_state_change where operation_id = '"
                        + id + "'"),
             std::string("Processing>Unknown Unknown>Completed"));
    QCOMPARE(m_lab->chargesOf(id), 1);
    QCOMPARE(m_lab->post(body, key).status, 201);
    m_lab->owner("update tekil.provider set timeout_ms = 5000");
}

// No relay exists yet, so the message is the provider's answer, told ten times as inquiries' and late answers are.
void FailureFirstTest::messageTenTimes()
{
    const Reply paid = m_lab->post(payment("10.00"), freshKey());
    QCOMPARE(paid.status, 201);
    const std::string id = paid.member("operationId");
    const std::string state = "select (select p::text from tekil.payment p where operation_id = '" + id
                              + "') || (select r::text from tekil.idempotency_record r where operation_id = '" + id
                              + "') || (select count(*) from tekil.ledger_entry) || (select count(*) from "
                                "tekil.outbox_message) || (select count(*) from tekil.reconciliation_case)";
    const std::string before = m_lab->sql(state);
    for (int i = 0; i < 10; ++i)
        for (const char* asked : {"true", "false"})
            QCOMPARE(m_lab->sql("select outcome from tekil.book_outcomes(array['" + id
                                + "']::uuid[], array[1]::bigint[], array[1], array['captured'], array['"
                                + paid.member("providerReference")
                                + "'], array[null]::text[], array[200], array[null]::text[], gen_random_uuid(), array["
                                + asked + "], array[null]::bigint[], array[false])"),
                     std::string("lost"));
    QCOMPARE(m_lab->sql(state), before);
    QCOMPARE(m_lab->chargesOf(id), 1);
}

TEKIL_TEST(FailureFirstTest)
#include "failure_first_test.moc"
