// B41: a provider reads the whole request, books it and closes without an answer. One charge, an Unknown payment whose
// money stays held, and nothing sent again by the HTTP client.
#include "core/base/json.h"
#include "tests/support/engine_lab.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>

using namespace tekil;
using namespace tekil::test;
using namespace std::chrono_literals;

namespace {

enum class End { Answer, Fin, Reset, FinAfter300ms, HalfAnAnswer };

// A bank without keys and without inquiry: it books each POST it has read to its end.
class SilentBank {
public:
    std::uint16_t port() const { return m_server.port(); }
    void endWith(End end) { m_end = end; }
    void stop() { m_stopping = true; }
    std::vector<BankCharge> charges()
    {
        const std::lock_guard lock(m_mutex);
        return m_charges;
    }
    int timesOf(const std::string& operationId)
    {
        int times = 0;
        for (const BankCharge& charge : charges())
            times += charge.operationId == operationId ? 1 : 0;
        return times;
    }
    // The requests of the connection that had most.
    int longestConnection() const { return m_longest; }

private:
    void serve(RawClient& peer)
    {
        for (int count = 1; !m_stopping && !peer.wasClosed();) {
            const std::string request = peer.message(50ms);
            if (request.empty())
                continue;
            m_longest = std::max(m_longest.load(), count++);
            const std::string body = bodyOf(request);
            book(body);
            switch (m_end.load()) {
            case End::Answer: peer.send(answerTo(body)); continue;
            case End::HalfAnAnswer: peer.send(answerTo(body).substr(0, 90)); return;
            case End::Fin: return;
            case End::Reset: peer.closeWithReset(); return;
            case End::FinAfter300ms: std::this_thread::sleep_for(300ms); return;
            }
        }
    }
    void book(const std::string& body)
    {
        const auto json = parseJson(body);
        const std::lock_guard lock(m_mutex);
        m_charges.push_back(
            {json->find("operationId")->text, json->find("amount")->text, json->find("currency")->text});
    }
    static std::string answerTo(const std::string& body)
    {
        const std::string answer = "{\"providerReference\":\"r\",\"status\":\"captured\",\"declineCode\":null,"
                                   + body.substr(1);
        return "HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: "
               + std::to_string(answer.size()) + "\r\n\r\n" + answer;
    }

    std::mutex m_mutex;
    std::vector<BankCharge> m_charges;
    std::atomic<End> m_end = End::Answer;
    std::atomic<bool> m_stopping = false;
    std::atomic<int> m_longest = 0;
    RawServer m_server{[this](RawClient& peer) { serve(peer); }};
};

} // namespace

class SilenceTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_bank = std::make_unique<SilentBank>();
        m_lab = std::make_unique<EngineLab>(LabOptions{.capability = "none", .providerPort = m_bank->port()});
    }
    void cleanupTestCase()
    {
        m_bank->stop();
        m_lab.reset();
        m_bank.reset();
    }
    void cleanup() { QCOMPARE(m_lab->judge(m_bank->charges()), std::string()); }

    void aChargeWithoutAnAnswerIsUnknownAndSentOnce_data();
    void aChargeWithoutAnAnswerIsUnknownAndSentOnce();

private:
    std::unique_ptr<SilentBank> m_bank;
    std::unique_ptr<EngineLab> m_lab;
};

void SilenceTest::aChargeWithoutAnAnswerIsUnknownAndSentOnce_data()
{
    QTest::addColumn<int>("end");
    QTest::addColumn<bool>("keptAlive"); // the silence comes on the second request of a connection
    const auto row = [](const char* name, End end, bool keptAlive) {
        QTest::newRow(name) << static_cast<int>(end) << keptAlive;
    };
    row("FIN", End::Fin, false);
    row("RST", End::Reset, false);
    row("FIN after 300 ms", End::FinAfter300ms, false);
    row("half an answer", End::HalfAnAnswer, false);
    row("FIN on the second request", End::Fin, true);
    row("RST on the second request", End::Reset, true);
}

void SilenceTest::aChargeWithoutAnAnswerIsUnknownAndSentOnce()
{
    QFETCH(int, end);
    QFETCH(bool, keptAlive);
    if (keptAlive) {
        m_bank->endWith(End::Answer);
        QCOMPARE(m_lab->post(payment("1.00"), freshKey()).status, 201);
    }
    m_bank->endWith(static_cast<End>(end));
    const std::string body = payment("41.00");
    const std::string key = freshKey();
    const Reply reply = m_lab->post(body, key);
    QCOMPARE(reply.status, 202);
    QCOMPARE(reply.member("status"), std::string("Unknown"));
    const std::string id = reply.member("operationId");
    std::this_thread::sleep_for(1500ms); // longer than a client's own retries take
    QCOMPARE(m_bank->timesOf(id), 1);
    QCOMPARE(m_lab->sql("select status || ' ' || unknown_reason from tekil.payment where operation_id = '" + id + "'"),
             std::string("Unknown no_answer"));
    QCOMPARE(m_lab->sql("select status from tekil.balance_reservation where operation_id = '" + id + "'"),
             std::string("Active"));
    QCOMPARE(m_lab->sql("select count(*) || ' ' || min(state) from tekil.provider_attempt where operation_id = '" + id
                        + "'"),
             std::string("1 no_answer"));
    const Reply again = m_lab->post(body, key);
    QCOMPARE(again.status, 409);
    QCOMPARE(again.problem(), std::string("key-in-flight"));
    QCOMPARE(m_lab->post(body, freshKey()).problem(), std::string("duplicate-operation"));
    QCOMPARE(m_bank->timesOf(id), 1);
    QVERIFY2(!keptAlive || m_bank->longestConnection() >= 2, "the connection was not kept alive");
}

TEKIL_TEST(SilenceTest)
#include "silence_test.moc"
