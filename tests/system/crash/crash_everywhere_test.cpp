// An engine is killed at every named place, before providers of every class and banks of every behaviour; another one
// takes over or is started; the client retries with its key. One payment and one engine of its own for each scenario,
// so that exactly this payment is at exactly that place. Enumerated, not sampled.
#include "tests/support/site.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <signal.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <future>
#include <map>
#include <mutex>
#include <set>
#include <thread>

using namespace tekil::test;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t kWorkers = 16;
constexpr int kTries = 4; // where a machine is so slow that a lease ends before its payment comes to the place
constexpr const char* kNotReached = "the place was never reached";
constexpr auto kPatience = 60s; // for one scenario's end, on a machine that does other work

struct Behaviour {
    const char* name;
    const char* amount; // by which the bank knows what to do
};
constexpr std::array<Behaviour, 6> kBehaviours{{{"answered", "11.00"},
                                                {"dropped", "12.00"},
                                                {"slow", "13.00"},
                                                {"declined", "14.00"},
                                                {"5xx", "15.00"},
                                                {"reset", "16.00"}}};
constexpr const char* kRules = R"(
    {"when":{"amount":"12.00","attempt":1},"do":"drop"},
    {"when":{"amount":"13.00","attempt":1},"do":"delay","ms":2600},
    {"when":{"amount":"14.00"},"do":"decline"},
    {"when":{"amount":"15.00","attempt":1},"do":"error","status":503},
    {"when":{"amount":"16.00","attempt":1},"do":"close","how":"rst"},
    {"when":{"amount":"17.00","attempt":1},"do":"delay","ms":25000})";
constexpr const char* kNeverAnswered = "17.00"; // in the time that a test has
constexpr std::size_t kSlow = 2;

struct Scenario {
    std::size_t provider;
    std::size_t behaviour;
    std::string first;       // where the engine that the client asked errs: "send.after:crash"
    std::string second = {}; // where the engine that takes over errs; then a third one is started

    bool crashes() const { return first.ends_with(":crash"); }
    bool pauses() const { return first.ends_with(":pause"); }
    std::string place() const { return first.substr(0, first.find(':')); }
    std::string name() const
    {
        return std::string(kProviderClasses[provider].name) + " / " + kBehaviours[behaviour].name + " / " + first
               + (second.empty() ? "" : ", then " + second);
    }
};

template <class Use>
void forEachPair(Use use)
{
    for (std::size_t provider = 0; provider < kProviderClasses.size(); ++provider)
        for (std::size_t behaviour = 0; behaviour < kBehaviours.size(); ++behaviour)
            use(provider, behaviour);
}

// The engine that the client asked is killed; another one, running already, goes on.
std::vector<Scenario> firstLife()
{
    std::vector<Scenario> all;
    for (const char* place : {"claim.before", "claim.after", "accept.before", "accept.after", "slot.acquired",
                              "attempt.before", "attempt.after", "send.before", "send.checked", "send.after",
                              "answer.received", "finish.before", "finish.after", "reply.before", "reply.after"})
        forEachPair([&](std::size_t provider, std::size_t behaviour) {
            all.push_back({provider, behaviour, std::string(place) + ":crash"});
        });
    for (std::size_t provider = 0; provider < kProviderClasses.size(); ++provider)
        for (const char* place : {"renew.before", "renew.after", "drain"}) // only a slow bank gives the time
            all.push_back({provider, kSlow, std::string(place) + ":crash"});
    return all;
}

// The engine that takes over is killed too, and one is started again.
std::vector<Scenario> secondLife()
{
    std::vector<Scenario> all;
    forEachPair([&](std::size_t provider, std::size_t behaviour) {
        for (const char* place : {"takeover.before:crash", "takeover.after:crash"})
            all.push_back({provider, behaviour, "send.after:crash", place});
        for (const char* place : {"attempt.after:crash", "send.after:crash", "finish.before:crash"})
            all.push_back({provider, behaviour, "accept.after:crash", place});
        const ProviderClass& can = kProviderClasses[provider];
        if (can.canInquiry)
            for (const char* place : {"inquiry.before:crash", "inquiry.after:crash"})
                all.push_back({provider, behaviour, "send.after:crash", place});
        else if (can.canIdempotent) // the second sending, in places of its own
            for (const char* place : {"attempt.before:crash", "attempt.after:crash", "send.after:crash",
                                      "answer.received:crash", "finish.before:crash:2"})
                all.push_back({provider, behaviour, "send.after:crash", place});
    });
    return all;
}

// Nobody is killed: the place fails as the database or the provider would.
std::vector<Scenario> failures()
{
    std::vector<Scenario> all;
    for (const char* place :
         {"claim.before", "claim.after", "accept.before", "accept.after", "slot.acquired", "attempt.before",
          "attempt.after", "send.before", "send.after", "answer.received", "finish.before", "finish.after"})
        forEachPair([&](std::size_t provider, std::size_t behaviour) {
            all.push_back({provider, behaviour, std::string(place) + ":fail"});
        });
    return all;
}

// Nobody is killed: the holder stands still past its lease, another one takes over and ends what it can, and then the
// holder goes on as if nothing had been.
std::vector<Scenario> pauses()
{
    std::vector<Scenario> all;
    for (const char* place : {"claim.after", "accept.after", "attempt.before", "attempt.after", "send.before",
                              "send.checked", "send.after", "answer.received", "finish.before", "finish.after"})
        forEachPair([&](std::size_t provider, std::size_t behaviour) {
            all.push_back({provider, behaviour, std::string(place) + ":pause"});
        });
    return all;
}

// What the database knows of one payment in the end.
struct Outcome {
    std::string operation, status;
    int sent = 0, takeovers = 0, claims = 0, inquiries = 0;
    bool beginsWithItsClaim = false;
};

Outcome outcomeOf(const Site& site, const std::string& key)
{
    const std::string row = site.sql(
        "select concat_ws(' ', r.operation_id, r.status, (select count(*) from tekil.provider_attempt a where "
        "a.operation_id = r.operation_id and a.state <> 'not_sent'), count(*) filter (where e.kind = 'takeover'), "
        "count(*) filter (where e.kind = 'claimed'), count(*) filter (where e.kind = 'inquiry'), "
        "(array_agg(e.kind order by e.at))[1] = 'claimed') from tekil.idempotency_record r join tekil.key_event e "
        "using "
        "(merchant_id, idempotency_key) where r.idempotency_key = '"
        + key + "' group by r.operation_id, r.status");
    Outcome outcome;
    char operation[64] = {}, status[32] = {}, begins = 'f';
    if (std::sscanf(row.c_str(), "%63s %31s %d %d %d %d %c", operation, status, &outcome.sent, &outcome.takeovers,
                    &outcome.claims, &outcome.inquiries, &begins)
        == 7) {
        outcome.operation = operation;
        outcome.status = status;
        outcome.beginsWithItsClaim = begins == 't';
    }
    return outcome;
}

class Run {
public:
    Run(const Banks& banks, const Site& site, Scenario scenario)
        : m_banks(banks), m_site(site), m_scenario(std::move(scenario)),
          m_provider(kProviderClasses[m_scenario.provider]), m_body(payment(kBehaviours[m_scenario.behaviour].amount)),
          m_key(freshKey())
    {
    }
    // "" where all is well. `survivor` goes on; without one an engine is started.
    std::string play(const Engine* survivor);
    const std::string& operation() const { return m_operation; }

private:
    std::string firstEngine();
    std::string secondEngine() const;
    std::string goOn(std::uint16_t port);
    std::string retry(std::uint16_t port);
    std::string judge(std::uint16_t port) const;
    bool isSettled() const;
    Reply post(std::uint16_t port) const { return Site::post(port, m_scenario.provider, m_body, m_key); }
    bool waitFor(const std::string& query) const;
    bool waitUntilKilled();
    bool waitUntilStopped() const;

    const Banks& m_banks;
    const Site& m_site;
    const Scenario m_scenario;
    const ProviderClass& m_provider;
    const std::string m_body, m_key;
    std::unique_ptr<Engine> m_first;
    std::future<Reply> m_asked;
    Reply m_firstReply, m_lastReply;
    std::string m_operation;
};

bool Run::waitFor(const std::string& query) const
{
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (m_site.sql(query) != "t") {
        if (std::chrono::steady_clock::now() > until)
            return false;
        std::this_thread::sleep_for(100ms);
    }
    return true;
}

std::string Run::firstEngine()
{
    m_first = m_site.start("api", m_scenario.first);
    if (!m_first)
        return "the engine does not start";
    m_asked = std::async(std::launch::async, [this] { return post(m_first->port()); });
    if (m_scenario.place() == "drain") {
        if (!waitFor("select exists (select from tekil.provider_attempt a join tekil.idempotency_record r using "
                     "(operation_id) where a.state = 'open' and r.idempotency_key = '"
                     + m_key + "')"))
            return "nothing was sent";
        m_first->process().send(SIGTERM);
    }
    if (m_scenario.crashes() && !waitUntilKilled()) {
        m_first->process().kill();
        return kNotReached;
    }
    if (m_scenario.pauses())
        return waitUntilStopped() ? "" : kNotReached;
    m_firstReply = m_asked.get();
    return {};
}

// An engine that has answered and lives on has lost its payment to another one before it came to the place.
bool Run::waitUntilKilled()
{
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (m_asked.wait_for(100ms) != std::future_status::ready && std::chrono::steady_clock::now() < until) {}
    return m_first->process().wait(3s) == -SIGKILL;
}

bool Run::waitUntilStopped() const
{
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (std::chrono::steady_clock::now() < until) {
        std::ifstream stat("/proc/" + std::to_string(m_first->process().pid()) + "/stat");
        const std::string line{std::istreambuf_iterator<char>(stat), {}};
        if (line.find(") T ") != std::string::npos)
            return true;
        std::this_thread::sleep_for(20ms);
    }
    return false;
}

// The holder wakes up, does what it still means to do, and ends in order.
std::string Run::goOn(std::uint16_t port)
{
    m_first->process().goOn();
    m_firstReply = m_asked.get();
    if (m_first->terminate(20s) != 0)
        return "the one that stood still does not end in order";
    return retry(port);
}

std::string Run::secondEngine() const
{
    if (!waitFor("select locked_until < clock_timestamp() from tekil.idempotency_record where idempotency_key = '"
                 + m_key + "'"))
        return "the lease of the dead does not end";
    const auto second = m_site.start("api,recovery", m_scenario.second);
    if (second && second->process().wait(kPatience) != -SIGKILL)
        return "the second place was never reached";
    return {}; // without one: it was killed before it could say that it is ready
}

// Whether the payment is where it can be for ever.
bool Run::isSettled() const
{
    const Outcome now = outcomeOf(m_site, m_key);
    if (now.status == "Completed" || now.status == "Failed")
        return true;
    if (now.status != "Unknown" || m_provider.canIdempotent || m_provider.notFoundFinal)
        return false;
    return !m_provider.canInquiry || (now.inquiries > 0 && !m_banks.knows(m_provider, now.operation));
}

// As a client does: the same request under the same key until it is told an end.
std::string Run::retry(std::uint16_t port)
{
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (std::chrono::steady_clock::now() < until) {
        m_lastReply = post(port);
        const int status = m_lastReply.status;
        if (status == 201 || status == 402)
            return {};
        if (status != 409 && status != 202 && status != 503)
            return "a retry was answered " + std::to_string(status) + " " + m_lastReply.body;
        if (status == 409 && m_lastReply.problem() != "key-in-flight")
            return "a retry was told " + m_lastReply.problem();
        if (isSettled() && outcomeOf(m_site, m_key).status == "Unknown")
            return {};
        std::this_thread::sleep_for(300ms);
    }
    return "it does not end: " + outcomeOf(m_site, m_key).status;
}

std::string Run::judge(std::uint16_t port) const
{
    const Outcome end = outcomeOf(m_site, m_key);
    const bool ended = end.status == "Completed" || end.status == "Failed";
    if (!isSettled())
        return "it stands as " + end.status;
    if (end.claims != 1 || !end.beginsWithItsClaim)
        return "its history does not begin with one claim";
    if (!m_provider.canIdempotent && end.sent > 1)
        return "it was sent " + std::to_string(end.sent) + " times to a provider that cannot tell";
    static const std::set<std::string> kHeld{
        "claim.after",   "accept.before", "accept.after", "slot.acquired", "attempt.before",
        "attempt.after", "send.before",   "send.checked", "send.after",    "answer.received",
        "finish.before", "renew.before",  "renew.after",  "drain"};
    const int least = (kHeld.contains(m_scenario.place()) ? 1 : 0)
                      + (m_scenario.second == "takeover.after:crash" ? 1 : 0);
    if (!m_scenario.first.ends_with(":fail") && end.takeovers < least)
        return "its history tells " + std::to_string(end.takeovers) + " takeovers";
    const bool firstEnded = m_firstReply.status == 201 || m_firstReply.status == 402;
    if (firstEnded && m_firstReply.body != m_lastReply.body)
        return "the client was told two ends: " + m_firstReply.body + " and " + m_lastReply.body;
    const Reply again = post(port);
    if (ended
        && (again.status != (end.status == "Completed" ? 201 : 402) || again.body != m_lastReply.body
            || again.header("Idempotent-Replayed") != "true" || again.member("operationId") != end.operation))
        return "it is not replayed: " + again.head + again.body;
    if (!ended && again.status != 409)
        return "an Unknown one is answered " + again.head;
    return {};
}

std::string Run::play(const Engine* survivor)
{
    std::string wrong = firstEngine();
    if (wrong.empty() && !m_scenario.second.empty())
        wrong = secondEngine();
    std::unique_ptr<Engine> started;
    if (wrong.empty() && survivor == nullptr) {
        started = m_site.start();
        survivor = started.get();
        if (survivor == nullptr)
            wrong = "no engine starts again";
    }
    const std::uint16_t port = survivor != nullptr ? survivor->port() : 0;
    if (wrong.empty())
        wrong = retry(port);
    if (wrong.empty() && m_scenario.pauses())
        wrong = goOn(port);
    else if (m_scenario.pauses())
        m_first->process().kill(); // else its client would wait for ever
    if (wrong.empty())
        wrong = judge(port);
    m_operation = outcomeOf(m_site, m_key).operation;
    // What stays Unknown must not come due among the next one's.
    m_site.sql("update tekil.idempotency_record set locked_until = 'infinity' where idempotency_key = '" + m_key
               + "' and status = 'Unknown'");
    return wrong;
}

} // namespace

class CrashEverywhereTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        makeClusterDurable();
        m_banks = std::make_unique<Banks>(kRules);
        m_front = std::make_unique<Site>(*m_banks);
    }
    void cleanupTestCase()
    {
        m_front.reset();
        m_banks.reset();
    }

    void noEffectIsDoubledWhereAnEngineIsKilled() { play(firstLife(), true); }
    void noEffectIsDoubledWhereTheOneThatTookOverIsKilledToo() { play(secondLife(), false); }
    void noEffectIsDoubledWhereAStepFails() { play(failures(), true); }
    void noEffectIsDoubledWhereAHolderStandsStill() { play(pauses(), true); }
    void whatIsDrainedWithAnOpenAttemptKeepsItsLease();

private:
    void play(std::vector<Scenario> scenarios, bool withSurvivor);
    QStringList doubled(const std::vector<BankCharge>& charges, const std::map<std::string, std::string>& names) const;

    std::unique_ptr<Banks> m_banks;
    std::unique_ptr<Site> m_front; // whose payments go on side by side
};

QStringList CrashEverywhereTest::doubled(const std::vector<BankCharge>& charges,
                                         const std::map<std::string, std::string>& names) const
{
    QStringList wrong;
    std::set<std::string> seen;
    for (const BankCharge& charge : charges)
        if (!seen.insert(charge.operationId).second)
            wrong << QString::fromStdString("charged twice: " + charge.operationId + " "
                                            + (names.contains(charge.operationId) ? names.at(charge.operationId) : ""));
    return wrong;
}

void CrashEverywhereTest::play(std::vector<Scenario> scenarios, bool withSurvivor)
{
    if (const char* const only = std::getenv("TEKIL_CRASH_ONLY")) // a part of a scenario's name, to look at one closely
        std::erase_if(scenarios, [only](const Scenario& each) { return each.name().find(only) == std::string::npos; });
    else if (std::getenv("TEKIL_CRASH_ALL") == nullptr) { // one in seven: every place, with pairs that move on
        std::vector<Scenario> some;
        for (std::size_t i = 0; i < scenarios.size(); i += 7)
            some.push_back(scenarios[i]);
        scenarios = std::move(some);
    }
    const auto began = std::chrono::steady_clock::now();
    const std::unique_ptr<Engine> survivor = withSurvivor ? m_front->start() : nullptr;
    QVERIFY(survivor != nullptr || !withSurvivor);
    // Where the one that takes over is killed, it must find its own payment only: a database for each worker.
    std::vector<std::unique_ptr<Site>> sites;
    for (std::size_t i = 0; i < (withSurvivor ? 0 : std::min(kWorkers, scenarios.size())); ++i)
        sites.push_back(std::make_unique<Site>(*m_banks));
    std::atomic<std::size_t> next = 0;
    std::mutex mutex;
    QStringList wrong;
    std::map<std::string, std::string> names;
    const auto work = [&](std::size_t worker) {
        const Site& site = withSurvivor ? *m_front : *sites[worker];
        while (true) {
            const std::size_t i = next++;
            if (i >= scenarios.size())
                return;
            std::string complaint = kNotReached;
            std::string operation;
            for (int tries = 0; tries < kTries && complaint == kNotReached; ++tries) {
                Run run(*m_banks, site, scenarios[i]);
                complaint = run.play(survivor.get());
                operation = run.operation();
            }
            const std::lock_guard lock(mutex);
            names[operation] = scenarios[i].name();
            if (complaint.empty())
                continue;
            wrong << QString::fromStdString(scenarios[i].name() + ": " + complaint + " (" + operation + ")");
            qInfo("%s", qPrintable(wrong.last())); // at once: a run may be cut short
        }
    };
    std::vector<std::thread> workers;
    for (std::size_t i = 0; i < std::min(kWorkers, scenarios.size()); ++i)
        workers.emplace_back(work, i);
    for (std::thread& worker : workers)
        worker.join();

    const std::vector<BankCharge> charges = m_banks->charges();
    const QStringList twice = doubled(charges, names);
    std::string complaints = withSurvivor ? m_front->judge(charges) : "";
    for (const auto& site : sites)
        complaints += site->judge(charges);
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - began);
    qInfo("%zu scenarios, %d double effects, %d complaints, %d s", scenarios.size(), static_cast<int>(twice.size()),
          static_cast<int>(wrong.size()), static_cast<int>(seconds.count()));
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
    QVERIFY2(twice.isEmpty(), qPrintable(twice.join(u'\n')));
    QCOMPARE(complaints, std::string());
}

// SIGTERM while the bank has not answered: the engine goes, and nobody may take over before the lease has ended.
void CrashEverywhereTest::whatIsDrainedWithAnOpenAttemptKeepsItsLease()
{
    const Site site(*m_banks, {.timeout = "30s"});
    const std::unique_ptr<Engine> first = site.start("api");
    QVERIFY(first != nullptr);
    std::vector<std::future<Reply>> asked;
    for (std::size_t i = 0; i < kProviderClasses.size(); ++i)
        asked.push_back(std::async(std::launch::async, [&, i] {
            return Site::post(first->port(), i, payment(kNeverAnswered), "drain-" + std::to_string(i));
        }));
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (site.sql("select count(*) from tekil.provider_attempt where state = 'open'") != "6"
           && std::chrono::steady_clock::now() < until)
        std::this_thread::sleep_for(20ms);
    QVERIFY(first->terminate(12s) == 0);
    for (auto& each : asked) {
        const Reply reply = each.get();
        QVERIFY2(reply.status == 202 || reply.status == 503 || reply.status == 0, reply.head.c_str());
    }
    QCOMPARE(
        site.sql("select count(*) from tekil.idempotency_record r join tekil.provider_attempt a using (operation_id) "
                 "where r.status = 'Processing' and r.lease_holder is not null and a.state = 'open'"),
        std::string("6"));
    const std::string ends = site.sql("select min(locked_until) from tekil.idempotency_record");
    const std::unique_ptr<Engine> second = site.start();
    QVERIFY(second != nullptr);
    while (site.sql("select count(*) from tekil.key_event where kind = 'takeover'") != "6"
           && std::chrono::steady_clock::now() < until)
        std::this_thread::sleep_for(50ms);
    QCOMPARE(site.sql("select count(*) from tekil.key_event where kind = 'takeover' and at >= '" + ends + "'"),
             std::string("6"));
    while (site.sql("select count(*) from tekil.payment where status = 'Completed'") != "5"
           && std::chrono::steady_clock::now() < until)
        std::this_thread::sleep_for(50ms);
    QCOMPARE(
        site.sql("select string_agg(v.name, ' ') from tekil.payment p join tekil.provider v using (provider_id) where "
                 "p.status = 'Unknown'"),
        std::string("none"));
    QVERIFY(second->terminate() == 0);
    QCOMPARE(site.judge(m_banks->charges()), std::string());
}

TEKIL_TEST(CrashEverywhereTest)
#include "crash_everywhere_test.moc"
