// A provider that is away or silent: its breaker refuses new payments before their claim, what was accepted waits,
// nothing fails by silence, and the other provider's payments go on.
#include "tests/support/engine_lab.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <future>
#include <memory>
#include <thread>

using namespace tekil::test;
using namespace std::chrono_literals;

class ProviderAwayTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();

    void anOpenBreakerRefusesBeforeTheClaimAndWhatWasAcceptedWaits();
    void aSilentBankDoesNotStarveTheOther();
    void waitingAndConflictingAnswersSayWhenToComeBack();

private:
    std::string breakerOf(const std::string& provider) const
    {
        const std::string metrics = m_lab->send("GET", "/metrics", {}, {}, m_lab->engine().adminPort()).body;
        const std::string name = "tekil_provider_breaker{provider=\"" + provider + "\"} ";
        const std::size_t at = metrics.find(name);
        return at == std::string::npos ? "" : metrics.substr(at + name.size(), 1);
    }
    bool breakerBecomes(const std::string& provider, const std::string& state) const
    {
        const auto until = std::chrono::steady_clock::now() + 30s;
        while (breakerOf(provider) != state) {
            if (std::chrono::steady_clock::now() > until)
                return false;
            std::this_thread::sleep_for(20ms);
        }
        return true;
    }
    void addProvider(const std::string& name, std::uint16_t port, const Texts& more = {})
    {
        Texts arguments{"provider",     "add",
                        "--name",       name,
                        "--url",        "http://127.0.0.1:" + std::to_string(port),
                        "--capability", "idempotent,inquiry"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        m_lab->admin(arguments, "providerId");
        m_lab->owner("update tekil.provider set breaker_min_calls = 6, breaker_open = '300 milliseconds' where name = '"
                     + name + "'");
    }

    std::unique_ptr<EngineLab> m_lab;
};

void ProviderAwayTest::init()
{
    m_lab = std::make_unique<EngineLab>();
}

void ProviderAwayTest::cleanup()
{
    m_lab.reset();
}

void ProviderAwayTest::anOpenBreakerRefusesBeforeTheClaimAndWhatWasAcceptedWaits()
{
    const std::uint16_t port = freePort();
    addProvider("dead", port);
    const std::string paidBody = payment("5.00");
    const std::string paidKey = freshKey();
    QCOMPARE(m_lab->post(paidBody, paidKey).status, 201);

    std::vector<std::pair<std::string, std::string>> accepted;
    for (int i = 0; i < 4; ++i) {
        accepted.emplace_back(payment("10.00", "TRY", ",\"provider\":\"dead\""), freshKey());
        const Reply reply = m_lab->post(accepted.back().first, accepted.back().second, {"Prefer: respond-async"});
        QCOMPARE(reply.status, 202);
        QVERIFY(std::atoi(reply.header("Retry-After").c_str()) >= 1);
    }
    QVERIFY(breakerBecomes("dead", "1"));
    // Open or, between, half-open with a probe; a payment that slips in while it is half-open waits like the others.
    std::string key;
    Reply refusal;
    for (int i = 0; i < 50 && refusal.status != 503; ++i) {
        key = freshKey();
        refusal = m_lab->post(payment("11.00", "TRY", ",\"provider\":\"dead\""), key, {"Prefer: respond-async"});
        QVERIFY2(refusal.status == 503 || refusal.status == 202, refusal.head.c_str());
        if (refusal.status == 202)
            accepted.emplace_back("", key);
    }
    QCOMPARE(refusal.problem(), std::string("provider-unavailable"));
    QCOMPARE(refusal.member("retry"), std::string("same-key"));
    const int wait = std::atoi(refusal.header("Retry-After").c_str());
    QVERIFY(wait >= 1 && wait <= 60);
    QCOMPARE(m_lab->sql("select count(*) from tekil.idempotency_record where idempotency_key = '" + key + "'"),
             std::string("0"));
    QCOMPARE(m_lab->post(payment("12.00"), key).status, 201); // no key was burned
    QCOMPARE(m_lab->post(paidBody, paidKey).header("Idempotent-Replayed"), std::string("true"));
    QCOMPARE(m_lab->post(accepted[0].first, accepted[0].second).problem(), std::string("key-in-flight"));
    QCOMPARE(m_lab->post(payment("13.00", "TRY", ",\"provider\":\"dead\""), accepted[0].second).status, 422);
    QCOMPARE(m_lab->sql("select count(*) from tekil.payment where status in ('Failed', 'Unknown')"), std::string("0"));
    QVERIFY(m_lab->becomes("select string_agg(v.name || ' ' || (s.breaker = 'closed')::text, ',' order by v.name) from "
                           "tekil.provider_state s join tekil.provider v using (provider_id)",
                           "bank true,dead false"));

    Process bank({std::string(TEKIL_BIN_DIR) + "/tekil-bank", "--listen", "127.0.0.1:" + std::to_string(port)},
                 ProcessOptions{.errorFile = ""});
    QVERIFY(bank.readLine().has_value());
    QVERIFY(m_lab->becomes("select count(*) from tekil.payment where status <> 'Completed'", "0", 60s));
    QVERIFY(breakerBecomes("dead", "0"));
    auto all = readBankLedger(m_lab->send("GET", "/ledger", {}, {}, port).body);
    QCOMPARE(all.size(), accepted.size());
    for (const BankCharge& charge : m_lab->charges())
        all.push_back(charge);
    QCOMPARE(m_lab->judge(all), std::string());
}

// Sixty-four connections to the silent one, and as many payments waiting for one of them.
void ProviderAwayTest::aSilentBankDoesNotStarveTheOther()
{
    std::atomic<bool> stopping = false;
    std::atomic<int> heard = 0;
    RawServer silent([&](RawClient& peer) {
        while (!stopping && !peer.wasClosed())
            if (!peer.message(50ms).empty())
                ++heard;
    });
    addProvider("silent", silent.port(), {"--timeout", "60s"});
    for (int i = 0; i < 130; ++i)
        QCOMPARE(m_lab->post(payment("10.00", "TRY", ",\"provider\":\"silent\""), freshKey(), {"Prefer: respond-async"})
                     .status,
                 202);
    QVERIFY(m_lab->becomes("select count(*) from tekil.provider_attempt where state = 'open'", "64", 60s));
    std::vector<std::future<Reply>> running;
    for (int i = 0; i < 20; ++i)
        running.push_back(std::async(std::launch::async, [this] { return m_lab->post(payment("7.00"), freshKey()); }));
    for (auto& each : running)
        QCOMPARE(each.get().status, 201);
    QCOMPARE(m_lab->charges().size(), std::size_t(20));
    for (int i = 0; i < 20; ++i) // B100: no transaction is open while a provider is spoken to
        QCOMPARE(m_lab->sql("select count(*) from pg_stat_activity where state like 'idle in transaction%' and "
                            "clock_timestamp() - state_change > interval '100 milliseconds'"),
                 std::string("0"));
    QCOMPARE(m_lab->sql("select count(*) from tekil.payment p join tekil.provider v using (provider_id) where v.name = "
                        "'silent' and p.status = 'Processing'"),
             std::string("130"));
    QCOMPARE(m_lab->judge(m_lab->charges()), std::string());
    m_lab->engine().process().kill(); // it would wait for the silent ones
    stopping = true;
}

void ProviderAwayTest::waitingAndConflictingAnswersSayWhenToComeBack()
{
    m_lab->script(R"({"rules":[{"do":"delay","ms":1500}]})");
    const std::string body = payment("10.00");
    const std::string key = freshKey();
    const auto seconds = [](const Reply& reply) { return std::atoi(reply.header("Retry-After").c_str()); };
    const Reply pending = m_lab->post(body, key, {"Prefer: respond-async"});
    QCOMPARE(pending.status, 202);
    QVERIFY(seconds(pending) >= 1 && seconds(pending) <= 60);
    const Reply conflict = m_lab->post(body, key);
    QCOMPARE(conflict.status, 409);
    QVERIFY(seconds(conflict) >= 1 && seconds(conflict) <= 60);
    QVERIFY(m_lab->becomes("select status from tekil.payment", "Completed"));
    QCOMPARE(m_lab->post(body, key).header("Retry-After"), std::string());
    QCOMPARE(m_lab->judge(), std::string());
}

TEKIL_TEST(ProviderAwayTest)
#include "provider_away_test.moc"
