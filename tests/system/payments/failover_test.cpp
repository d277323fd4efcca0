// A failover that loses confirmed commits, played by taking rows away beneath a running engine: it stops, raises an
// alarm, writes again what it remembers, has it asked for, and only then goes on. Nothing is charged twice.
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

// Books each charge and closes without an answer; holds inquiries back until it is let go, then finds them.
class WithholdingBank {
public:
    std::uint16_t port() const { return m_server.port(); }
    void letGo() { m_letGo = true; }
    void stop() { m_stopping = true; }
    int inquiries() const { return m_inquiries; }
    std::vector<BankCharge> charges()
    {
        const std::lock_guard lock(m_mutex);
        return m_charges;
    }

private:
    void serve(RawClient& peer)
    {
        while (!m_stopping && !peer.wasClosed()) {
            const std::string request = peer.message(50ms);
            if (request.empty())
                continue;
            if (request.starts_with("POST")) {
                const auto json = parseJson(bodyOf(request));
                const std::lock_guard lock(m_mutex);
                m_charges.push_back(
                    {json->find("operationId")->text, json->find("amount")->text, json->find("currency")->text});
                return;
            }
            ++m_inquiries;
            while (!m_letGo && !m_stopping)
                std::this_thread::sleep_for(5ms);
            peer.send(answerTo(request.substr(13, 36)));
        }
    }
    std::string answerTo(const std::string& operationId)
    {
        std::string body = R"({"operationId":")" + operationId + R"(","status":"not_found"})";
        const char* status = "404 Not Found";
        for (const BankCharge& charge : charges())
            if (charge.operationId == operationId) {
                status = "200 OK";
                body = R"({"providerReference":"r","status":"captured","operationId":")" + operationId
                       + R"(","amount":")" + charge.amount + R"(","currency":")" + charge.currency
                       + R"(","declineCode":null})";
            }
        return "HTTP/1.1 " + std::string(status) + "\r\nContent-Type: application/json\r\nContent-Length: "
               + std::to_string(body.size()) + "\r\n\r\n" + body;
    }

    std::mutex m_mutex;
    std::vector<BankCharge> m_charges;
    std::atomic<bool> m_letGo = false;
    std::atomic<bool> m_stopping = false;
    std::atomic<int> m_inquiries = 0;
    RawServer m_server{[this](RawClient& peer) { serve(peer); }};
};

int readyOf(EngineLab& lab)
{
    return lab.send("GET", "/readyz", {}, {}, lab.engine().adminPort()).status;
}

bool readyBecomes(EngineLab& lab, int status)
{
    const auto until = std::chrono::steady_clock::now() + 30s;
    while (readyOf(lab) != status) {
        if (std::chrono::steady_clock::now() > until)
            return false;
        std::this_thread::sleep_for(20ms);
    }
    return true;
}

// The instance's row goes back by some beats, as in a copy of the database that is some seconds old.
const char* const kOldHeartbeat = "update tekil.engine_instance set beats = greatest(beats - 5, 0), heartbeat_at = "
                                  "heartbeat_at - interval '5 seconds';";

} // namespace

class FailoverTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aPaymentWhoseRowsWereLostIsWrittenAgainAndNotChargedAgain_data();
    void aPaymentWhoseRowsWereLostIsWrittenAgainAndNotChargedAgain();
    void nothingIsTakenOnOrSentUntilWhatWasSentIsAskedFor();
    void anInstanceWhoseRowIsGoneRaisesTheAlarmAndGoesOn();

private:
    // Takes everything of one Completed payment away, as if its commits had never reached this copy.
    static void lose(const EngineLab& lab, const std::string& id)
    {
        const std::string of = " where operation_id = '" + id + "';";
        std::string text = "begin;";
        for (const char* table : {"ledger_entry", "ledger_transaction", "key_event", "payment_state_change"})
            text += "alter table tekil." + std::string(table) + " disable trigger append_only;";
        text += "update tekil.account a set available_minor = a.available_minor - e.amount_minor from "
                "tekil.ledger_entry e "
                "where e.account_id = a.account_id and e.transaction_id = '"
                + id + "'; delete from tekil.ledger_entry where transaction_id = '" + id + "';";
        for (const char* table :
             {"ledger_transaction", "key_event", "payment_state_change", "outbox_message", "provider_attempt",
              "balance_reservation", "business_identity", "idempotency_record", "payment"})
            text += "delete from tekil." + std::string(table) + of;
        for (const char* table : {"ledger_entry", "ledger_transaction", "key_event", "payment_state_change"})
            text += "alter table tekil." + std::string(table) + " enable trigger append_only;";
        // Its part of the counters was in the same commits.
        text += "lock table tekil.payment_flow, tekil.payment_total; delete from tekil.payment_flow; "
                "delete from tekil.payment_total; "
                "insert into tekil.payment_total select 'New', 'Processing', p.currency, count(*), sum(p.amount_minor) "
                "from tekil.payment p group by p.currency union all "
                "select c.from_status, c.to_status, p.currency, count(*), sum(p.amount_minor) "
                "from tekil.payment_state_change c join tekil.payment p using (operation_id) "
                "group by c.from_status, c.to_status, p.currency;";
        lab.owner(text + kOldHeartbeat + "commit");
    }
};

void FailoverTest::aPaymentWhoseRowsWereLostIsWrittenAgainAndNotChargedAgain_data()
{
    QTest::addColumn<QString>("capability");
    for (const char* capability : {"none", "idempotent", "inquiry"})
        QTest::newRow(capability) << capability;
}

void FailoverTest::aPaymentWhoseRowsWereLostIsWrittenAgainAndNotChargedAgain()
{
    QFETCH(QString, capability);
    EngineLab lab({.capability = capability.toStdString()});
    QCOMPARE(lab.post(payment("3.00"), freshKey()).status, 201);
    const std::string body = payment("10.00");
    const std::string key = freshKey();
    const Reply paid = lab.post(body, key);
    QCOMPARE(paid.status, 201);
    const std::string id = paid.member("operationId");
    QVERIFY(lab.becomes("select (beats > 1)::text from tekil.engine_instance", "true"));
    lose(lab, id);
    QVERIFY(lab.becomes("select count(*) from tekil.reconciliation_case where kind = 'commits_lost'", "1"));
    QVERIFY(lab.becomes("select status from tekil.payment where operation_id = '" + id + "'", "Completed"));
    QVERIFY(readyBecomes(lab, 200));
    const Reply again = lab.post(body, key);
    QCOMPARE(again.status, 201);
    QCOMPARE(again.member("operationId"), id);
    QCOMPARE(lab.chargesOf(id), 1);
    QCOMPARE(lab.charges().size(), std::size_t(2));
    QCOMPARE(lab.post(payment("4.00"), freshKey()).status, 201);
    QVERIFY(lab.engine().log().find("has lost commits") != std::string::npos);
    QCOMPARE(lab.judge(), std::string());
}

void FailoverTest::nothingIsTakenOnOrSentUntilWhatWasSentIsAskedFor()
{
    WithholdingBank bank;
    EngineLab lab({.capability = "inquiry", .providerArguments = {"--timeout", "60s"}, .providerPort = bank.port()});
    const Reply unknown = lab.post(payment("10.00"), freshKey());
    QCOMPARE(unknown.member("status"), std::string("Unknown"));
    QTRY_VERIFY_WITH_TIMEOUT(bank.inquiries() > 0, 20'000);
    QVERIFY(lab.becomes("select (beats > 1)::text from tekil.engine_instance", "true"));
    lab.owner(kOldHeartbeat);
    QVERIFY(readyBecomes(lab, 503));
    const Reply refusal = lab.post(payment("11.00"), freshKey());
    QCOMPARE(refusal.status, 503);
    QCOMPARE(refusal.member("retry"), std::string("same-key"));
    QCOMPARE(bank.charges().size(), std::size_t(1));
    bank.letGo();
    QVERIFY(lab.becomes("select status from tekil.payment", "Completed"));
    QVERIFY(readyBecomes(lab, 200));
    QCOMPARE(lab.sql("select kind || ' ' || severity from tekil.reconciliation_case"),
             std::string("commits_lost critical"));
    QCOMPARE(lab.post(payment("12.00"), freshKey()).status, 202);
    QVERIFY(lab.becomes("select count(*) from tekil.payment where status = 'Completed'", "2"));
    QCOMPARE(lab.judge(bank.charges()), std::string());
    bank.stop();
}

void FailoverTest::anInstanceWhoseRowIsGoneRaisesTheAlarmAndGoesOn()
{
    EngineLab lab;
    QCOMPARE(lab.post(payment("10.00"), freshKey()).status, 201);
    QVERIFY(lab.becomes("select count(*) from tekil.engine_instance", "1"));
    lab.owner("delete from tekil.engine_instance");
    QVERIFY(lab.becomes("select count(*) from tekil.reconciliation_case where kind = 'commits_lost'", "1"));
    QVERIFY(lab.becomes("select count(*) from tekil.engine_instance", "1"));
    QVERIFY(readyBecomes(lab, 200));
    QCOMPARE(lab.post(payment("11.00"), freshKey()).status, 201);
    QCOMPARE(lab.judge(), std::string());
}

TEKIL_TEST(FailoverTest)
#include "failover_test.moc"
