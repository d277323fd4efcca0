// Leases between engines: a holder that was paused, one that drains, a standby that is away, a capture that is found
// late. Time is moved by writing the rows' times.
#include "tests/support/engine_lab.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <signal.h>

#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <thread>

using namespace tekil::test;
using namespace std::chrono_literals;

class LeaseTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aPausedHolderThatWakesChangesNothing();
    void whatADrainingEngineHasNotSentGoesOnElsewhereAtOnce();
    void nothingIsSentThatASynchronousStandbyDoesNotHave();
    void aCaptureThatIsFoundAfterAFailureIsACase();
    void anExpiredKeyIsNeverExecutedAgain();

private:
    static void setStandby(const EngineLab& lab, const char* names);
    static std::unique_ptr<Process> startBank(std::uint16_t port)
    {
        auto bank = std::make_unique<Process>(
            Texts{std::string(TEKIL_BIN_DIR) + "/tekil-bank", "--listen", "127.0.0.1:" + std::to_string(port)},
            ProcessOptions{.errorFile = ""});
        return bank->readLine() ? std::move(bank) : nullptr;
    }
    static std::vector<BankCharge> chargesAt(const EngineLab& lab, std::uint16_t port)
    {
        return readBankLedger(lab.send("GET", "/ledger", {}, {}, port).body);
    }
};

// B31, B37: another engine has ended it meanwhile; what the first one brings then is too late for anything.
void LeaseTest::aPausedHolderThatWakesChangesNothing()
{
    EngineLab lab({.providerArguments = {"--timeout", "30s"}});
    const std::unique_ptr<Engine> second = lab.startAnother({"--roles", "recovery"});
    QVERIFY(second != nullptr);
    lab.script(R"({"rules":[{"when":{"amount":"10.00"},"do":"delay","ms":2000}]})");
    const std::string body = payment("10.00");
    const std::string key = freshKey();
    auto reply = std::async(std::launch::async, [&] { return lab.post(body, key); });
    struct Waker { // also where the test ends early, or its client would wait for ever
        Process& process;
        ~Waker() { process.goOn(); }
    } waker{lab.engine().process()};
    const auto until = std::chrono::steady_clock::now() + 20s;
    while (lab.charges().empty() && std::chrono::steady_clock::now() < until)
        std::this_thread::sleep_for(10ms);
    QCOMPARE(lab.charges().size(), std::size_t(1));
    lab.engine().process().pause();
    lab.owner("update tekil.idempotency_record set locked_until = clock_timestamp() - interval '1 second'");
    QVERIFY(lab.becomes("select status from tekil.payment", "Completed", 40s));
    const std::string state = "select (select p::text from tekil.payment p) || (select r::text from "
                              "tekil.idempotency_record r) || (select count(*) from tekil.ledger_entry) || (select "
                              "count(*) from tekil.reconciliation_case)";
    const std::string before = lab.sql(state);
    lab.engine().process().goOn();
    const Reply late = reply.get();
    QCOMPARE(late.status, 201); // the stored end, whoever brought it
    QCOMPARE(lab.post(body, key).body, late.body);
    QCOMPARE(lab.sql(state), before);
    QCOMPARE(lab.charges().size(), std::size_t(1));
    QCOMPARE(lab.sql("select count(*) from tekil.key_event where kind = 'takeover'"), std::string("1"));
    QCOMPARE(lab.judge(), std::string());
}

void LeaseTest::whatADrainingEngineHasNotSentGoesOnElsewhereAtOnce()
{
    const std::uint16_t port = freePort();
    EngineLab lab({.providerPort = port});
    for (int i = 0; i < 3; ++i)
        QCOMPARE(lab.post(payment("10.00"), freshKey(), {"Prefer: respond-async"}).status, 202);
    const std::unique_ptr<Engine> second = lab.startAnother();
    QVERIFY(second != nullptr);
    QVERIFY(lab.engine().terminate(15s) == 0);
    QCOMPARE(lab.sql("select count(*) from tekil.key_event where kind = 'released'"), std::string("3"));
    QVERIFY(lab.becomes(
        "select count(*) from tekil.idempotency_record where lease_holder is not null and lease_epoch > 2", "3"));
    const auto bank = startBank(port);
    QVERIFY(bank != nullptr);
    lab.owner(
        "update tekil.idempotency_record set locked_until = clock_timestamp() - interval '1 second' where status = "
        "'Processing'");
    QVERIFY(lab.becomes("select count(*) from tekil.payment where status = 'Completed'", "3", 60s));
    QCOMPARE(chargesAt(lab, port).size(), std::size_t(3));
    lab.restart();
    QCOMPARE(lab.judge(chargesAt(lab, port)), std::string());
}

void LeaseTest::setStandby(const EngineLab& lab, const char* names)
{
    namespace fs = std::filesystem;
    for (const auto& entry : fs::recursive_directory_iterator(lab.workspace())) {
        if (entry.path().filename() == "postgresql.auto.conf")
            std::ofstream(entry.path(), std::ios::app) << "synchronous_standby_names = '" << names << "'\n";
    }
    for (const auto& entry : fs::recursive_directory_iterator(lab.workspace())) {
        pid_t server = 0;
        if (entry.path().filename() == "postmaster.pid" && std::ifstream(entry.path()) >> server)
            ::kill(server, SIGHUP);
    }
}

// The attempt's commit is in doubt while the standby is away: it is tried again, and again nothing is sent.
void LeaseTest::nothingIsSentThatASynchronousStandbyDoesNotHave()
{
    const std::uint16_t port = freePort();
    EngineLab lab({.providerPort = port});
    const std::string body = payment("10.00");
    const std::string key = freshKey();
    QCOMPARE(lab.post(body, key, {"Prefer: respond-async"}).status, 202);
    setStandby(lab, "nobody");
    QVERIFY(lab.becomes("show synchronous_standby_names", "nobody"));
    const auto bank = startBank(port);
    QVERIFY(bank != nullptr);
    QVERIFY(lab.becomes("select (count(*) > 0)::text from pg_stat_activity where wait_event = 'SyncRep' and query like "
                        "'%open_attempts%'",
                        "true", 40s));
    const auto until = std::chrono::steady_clock::now() + 12s; // longer than one try takes: it is given up and repeated
    while (std::chrono::steady_clock::now() < until) {
        QCOMPARE(chargesAt(lab, port).size(), std::size_t(0));
        std::this_thread::sleep_for(100ms);
    }
    setStandby(lab, "");
    QVERIFY(lab.becomes("select status from tekil.payment", "Completed", 60s));
    QCOMPARE(chargesAt(lab, port).size(), std::size_t(1));
    QCOMPARE(lab.judge(chargesAt(lab, port)), std::string());
}

// B44, B52: the provider said "not found" with authority, and books it all the same.
void LeaseTest::aCaptureThatIsFoundAfterAFailureIsACase()
{
    EngineLab lab({.capability = "inquiry",
                   .providerArguments = {"--timeout", "1s", "--inquiry-grace", "1s", "--not-found-final"}});
    lab.script(R"({"rules":[{"do":"late_capture","captureAfterMs":1000,"answer":"drop","notFoundMs":8000}]})");
    const std::string body = payment("44.00");
    const std::string key = freshKey();
    const Reply unknown = lab.post(body, key);
    QCOMPARE(unknown.member("status"), std::string("Unknown"));
    lab.owner("update tekil.provider_attempt set send_before = clock_timestamp() - interval '1 minute'");
    QVERIFY(lab.becomes("select status || ' ' || failure_code from tekil.payment", "Failed not_charged"));
    const auto until = std::chrono::steady_clock::now() + 40s;
    while (lab.count("reconciliation_case") == 0 && std::chrono::steady_clock::now() < until) {
        lab.owner("update tekil.late_inquiry set due_at = clock_timestamp(), tries = 0");
        std::this_thread::sleep_for(500ms);
    }
    QCOMPARE(lab.sql("select kind || ' ' || at_risk_minor || ' ' || currency from tekil.reconciliation_case"),
             std::string("late_capture 4400 TRY"));
    QCOMPARE(lab.sql("select p.status || ' ' || r.status from tekil.payment p join tekil.balance_reservation r using "
                     "(operation_id)"),
             std::string("Failed Released"));
    QCOMPARE(lab.post(body, key).status, 402);
    QCOMPARE(lab.charges().size(), std::size_t(1));
    QCOMPARE(lab.judge(), std::string());
}

void LeaseTest::anExpiredKeyIsNeverExecutedAgain()
{
    EngineLab lab;
    const std::string body = payment("10.00");
    const std::string key = freshKey();
    const Reply paid = lab.post(body, key);
    QCOMPARE(paid.status, 201);
    lab.owner("update tekil.idempotency_record set expires_at = clock_timestamp() - interval '1 second'");
    // Before, while and after it shrinks: the answer is the same.
    const auto until = std::chrono::steady_clock::now() + 30s;
    bool shrunk = false;
    while (!shrunk && std::chrono::steady_clock::now() < until) {
        shrunk = lab.sql("select (shrunk_at is not null)::text from tekil.idempotency_record") == "true";
        const Reply again = lab.post(body, key);
        QCOMPARE(again.status, 409);
        QCOMPARE(again.problem(), std::string("key-expired"));
        QCOMPARE(again.member("retry"), std::string("never"));
    }
    QVERIFY(shrunk);
    QCOMPARE(lab.post(payment("11.00"), key).status, 422);
    QCOMPARE(lab.get("/payments/" + paid.member("operationId")).member("status"), std::string("Completed"));
    QCOMPARE(lab.charges().size(), std::size_t(1));
    QCOMPARE(lab.judge(), std::string());
}

TEKIL_TEST(LeaseTest)
#include "lease_test.moc"
