// Engines that end, are killed, lose their database or share it: nothing is lost and nothing is charged twice.
#include "tests/support/engine_lab.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <signal.h>

#include <future>
#include <memory>
#include <set>
#include <thread>

using namespace tekil::test;
using namespace std::chrono_literals;

namespace {

struct Sent {
    std::string body;
    std::string key;
    std::future<Reply> reply;
};

std::vector<Sent> sendMany(const EngineLab& lab, int count, std::string_view amount)
{
    std::vector<Sent> sent;
    for (int i = 0; i < count; ++i) {
        Sent each{.body = payment(amount), .key = freshKey(), .reply = {}};
        each.reply = std::async(std::launch::async,
                                [&lab, body = each.body, key = each.key] { return lab.post(body, key); });
        sent.push_back(std::move(each));
    }
    return sent;
}

} // namespace

class LifetimeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_lab = std::make_unique<EngineLab>(LabOptions{.providerArguments = {"--timeout", "30s"}}); }
    void cleanup()
    {
        m_lab->script("{}");
        const std::string complaints = m_lab->judge();
        m_lab.reset();
        QCOMPARE(complaints, std::string());
    }

    void sigtermEndsWhatIsInFlight();
    void sigtermHandsOverWhatTakesTooLong();
    void sigkillLosesNothing_data();
    void sigkillLosesNothing();
    void aCutClientFindsItsPaymentWithTheSameKey();
    void twoEnginesOnOneWorkspaceChargeOnce();
    void aTakenPortIsRefusedByTheNameOfItsHolder();

private:
    std::int64_t countOf(const std::string& status) const
    {
        return std::atoll(m_lab->sql("select count(*) from tekil.payment where status = '" + status + "'").c_str());
    }

    std::unique_ptr<EngineLab> m_lab;
};

void LifetimeTest::sigtermEndsWhatIsInFlight()
{
    m_lab->script(R"({"rules":[{"do":"delay","ms":1500}]})");
    auto sent = sendMany(*m_lab, 20, "10.00");
    QVERIFY(m_lab->becomes("select count(*) from tekil.provider_attempt where state = 'open'", "20"));
    const auto before = std::chrono::steady_clock::now();
    m_lab->engine().process().send(SIGTERM);
    std::this_thread::sleep_for(300ms);
    const Reply late = m_lab->post(payment("11.00"), freshKey());
    QVERIFY2(late.status == 503 || late.status == 0, late.head.c_str()); // draining, or the door is shut
    QVERIFY(m_lab->engine().process().wait(10s) == 0);
    QVERIFY(std::chrono::steady_clock::now() - before < 10s);
    for (Sent& each : sent)
        QCOMPARE(each.reply.get().status, 201);
    m_lab->restart();
    QCOMPARE(countOf("Completed"), 20);
    QCOMPARE(m_lab->charges().size(), std::size_t(20));
}

void LifetimeTest::sigtermHandsOverWhatTakesTooLong()
{
    m_lab->script(R"({"rules":[{"when":{"amount":"12.00"},"do":"delay","ms":20000}]})");
    auto sent = sendMany(*m_lab, 3, "12.00");
    QVERIFY(m_lab->becomes("select count(*) from tekil.provider_attempt where state = 'open'", "3"));
    QVERIFY(m_lab->engine().terminate(10s) == 0);
    for (Sent& each : sent) {
        const Reply reply = each.reply.get();
        QVERIFY2(reply.status == 202 || reply.status == 503 || reply.status == 0, reply.head.c_str());
    }
    m_lab->restart();
    QCOMPARE(countOf("Failed"), 0);
    QCOMPARE(m_lab->sql("select coalesce(sum(reserved_minor), 0) from tekil.account"), std::string("3600"));
    for (const Sent& each : sent) {
        QCOMPARE(m_lab->post(each.body, each.key).status, 409);
        QCOMPARE(m_lab->post(each.body, freshKey()).problem(), std::string("duplicate-operation"));
    }
}

void LifetimeTest::sigkillLosesNothing_data()
{
    QTest::addColumn<int>("afterMs");
    for (const int ms : {0, 5, 15, 40, 100, 400})
        QTest::addRow("after %d ms", ms) << ms;
}

// Every answer that a client got stands; every key tells one operation; none is charged twice.
void LifetimeTest::sigkillLosesNothing()
{
    QFETCH(int, afterMs);
    m_lab->script(R"({"rules":[{"when":{"everyNth":2},"do":"delay","ms":300}]})");
    auto sent = sendMany(*m_lab, 40, "10.00");
    std::this_thread::sleep_for(std::chrono::milliseconds(afterMs));
    m_lab->engine().process().kill();
    std::vector<Reply> replies;
    for (Sent& each : sent)
        replies.push_back(each.reply.get());
    m_lab->restart();
    QCOMPARE(m_lab->judge(), std::string());
    m_lab->script("{}");
    for (std::size_t i = 0; i < sent.size(); ++i) {
        const Reply again = m_lab->post(sent[i].body, sent[i].key);
        QVERIFY2(again.status == 201 || again.status == 409, (again.head + again.body).c_str());
        if (replies[i].status != 201)
            continue;
        QCOMPARE(again.status, 201);
        QCOMPARE(again.body, replies[i].body);
        QCOMPARE(again.header("Idempotent-Replayed"), std::string("true"));
    }
    std::set<std::string> charged;
    for (const BankCharge& charge : m_lab->charges())
        QVERIFY2(charged.insert(charge.operationId).second, charge.operationId.c_str());
    QVERIFY(charged.size() <= sent.size());
    QCOMPARE(m_lab->bankCount("duplicates"), 0);
}

void LifetimeTest::aCutClientFindsItsPaymentWithTheSameKey()
{
    m_lab->script(R"({"rules":[{"do":"delay","ms":400}]})");
    const std::string body = payment("10.00");
    const std::string key = freshKey();
    {
        RawClient client(m_lab->engine().port());
        client.send("POST /payments HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + m_lab->apiKey()
                    + "\r\nContent-Type: application/json\r\n"
                      "Idempotency-Key: "
                    + key + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
        QVERIFY(m_lab->becomes("select count(*) from tekil.payment", "1"));
        client.closeWithReset();
    }
    QVERIFY(m_lab->becomes("select status from tekil.payment", "Completed"));
    const Reply found = m_lab->post(body, key);
    QCOMPARE(found.status, 201);
    QCOMPARE(found.header("Idempotent-Replayed"), std::string("true"));
    QCOMPARE(m_lab->chargesOf(found.member("operationId")), 1);
}

void LifetimeTest::twoEnginesOnOneWorkspaceChargeOnce()
{
    const std::unique_ptr<Engine> second = m_lab->startAnother();
    QVERIFY(second != nullptr);
    m_lab->script(R"({"rules":[{"do":"delay","ms":50}]})");
    const std::string body = payment("10.00");
    const Texts headers{"Authorization: Bearer " + m_lab->apiKey(), "Content-Type: application/json",
                        "Idempotency-Key: " + freshKey()};
    std::vector<std::future<Reply>> running;
    for (int i = 0; i < 100; ++i)
        running.push_back(
            std::async(std::launch::async, [&, port = i % 2 == 0 ? m_lab->engine().port() : second->port()] {
                return m_lab->send("POST", "/payments", headers, body, port);
            }));
    std::set<std::string> ids;
    for (auto& each : running) {
        const Reply reply = each.get();
        QVERIFY2(reply.status == 201 || reply.status == 409, reply.head.c_str());
        if (reply.status == 201)
            ids.insert(reply.member("operationId"));
    }
    QCOMPARE(ids.size(), std::size_t(1));
    QCOMPARE(m_lab->chargesOf(*ids.begin()), 1);
    QCOMPARE(m_lab->count("payment"), 1);
    QVERIFY(m_lab->engine().terminate() == 0); // the other one keeps the database
    QCOMPARE(m_lab->send("POST", "/payments", headers, body, second->port()).status, 201);
    QVERIFY(second->process().isRunning());
    m_lab->restart();
}

void LifetimeTest::aTakenPortIsRefusedByTheNameOfItsHolder()
{
    const std::string taken = "127.0.0.1:" + std::to_string(m_lab->engine().port());
    std::string errors;
    QCOMPARE(m_lab->tekild({"run", "--listen", taken, "--admin-listen", "127.0.0.1:0"}, &errors).exitCode, 1);
    const std::string pid = std::to_string(m_lab->engine().process().pid());
    QVERIFY2(errors.find(taken) != std::string::npos && errors.find("tekild") != std::string::npos
                 && errors.find(pid) != std::string::npos,
             errors.c_str());
    QCOMPARE(m_lab->post(payment("10.00"), freshKey()).status, 201);
}

TEKIL_TEST(LifetimeTest)
#include "lifetime_test.moc"
