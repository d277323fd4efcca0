// A database that goes away under running engines comes back by itself, and ends that were not in order are told.
#include "tests/support/test_main.h"
#include "tests/system/workspace/place.h"

#include <QTest>

#include <fcntl.h>
#include <sys/file.h>

#include <future>
#include <thread>

using namespace tekil::test;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

// Keeps every program from starting the server, as one that is at work on the workspace does.
class HeldLock {
public:
    explicit HeldLock(const std::string& workspace)
        : m_fd(::open((workspace + "/tekil-workspace.lock").c_str(), O_RDWR | O_CLOEXEC))
    {
        if (m_fd < 0 || flock(m_fd, LOCK_EX) != 0)
            qFatal("cannot hold the workspace's lock");
    }
    HeldLock(const HeldLock&) = delete;
    HeldLock& operator=(const HeldLock&) = delete;
    ~HeldLock() { release(); }
    void release()
    {
        if (m_fd >= 0)
            ::close(m_fd);
        m_fd = -1;
    }

private:
    int m_fd;
};

} // namespace

class UncleanEndTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_lab = std::make_unique<EngineLab>(LabOptions{.providerArguments = {"--timeout", "30s"}}); }
    void cleanup() { m_lab.reset(); }

    void aServerThatEndsUnderItsEngineIsStartedAgain_data()
    {
        QTest::addColumn<QString>("how");
        QTest::newRow("killed") << QStringLiteral("kill");
        QTest::newRow("stopped fast by a stranger") << QStringLiteral("fast");
        QTest::newRow("stopped at once by a stranger") << QStringLiteral("immediate");
    }
    // Payments in flight end exactly once, whatever their clients were told meanwhile.
    void aServerThatEndsUnderItsEngineIsStartedAgain()
    {
        QFETCH(QString, how);
        m_lab->script(R"({"rules":[{"when":{"everyNth":2},"do":"delay","ms":1500}]})");
        std::vector<std::pair<std::string, std::string>> sent;
        std::vector<std::future<Reply>> waiting;
        for (int i = 0; i < 20; ++i) {
            sent.emplace_back(payment("10.00"), freshKey());
            waiting.push_back(std::async(std::launch::async,
                                         [this, each = sent.back()] { return m_lab->post(each.first, each.second); }));
        }
        QVERIFY(m_lab->becomes("select count(*) > 0 from tekil.provider_attempt where state = 'open'", "t"));
        const int server = serverPid();
        end(how);
        for (auto& each : waiting) {
            const Reply reply = each.get();
            QVERIFY2(reply.status == 201 || reply.status == 202 || reply.status == 503, reply.head.c_str());
        }
        QTRY_VERIFY_WITH_TIMEOUT(isAnother(serverPid(), server), 60'000);
        QTRY_VERIFY_WITH_TIMEOUT(m_lab->engine().log().find("runs again") != std::string::npos, 60'000);
        QVERIFY(has(m_lab->engine().log(), "starting it again"));
        QTRY_COMPARE_WITH_TIMEOUT(ready(), 200, 60'000);
        for (const auto& [body, key] : sent)
            QTRY_COMPARE_WITH_TIMEOUT(m_lab->post(body, key).status, 201, 60'000);
        QCOMPARE(m_lab->charges().size(), sent.size());
        QCOMPARE(m_lab->bankCount("duplicates"), 0);
        QCOMPARE(m_lab->judge(), std::string());
        const std::string status = m_lab->tekild({"workspace", "status", "--json"}).output;
        QVERIFY(has(status, how == u"fast" ? "PostgreSQL was stopped under" : "PostgreSQL was killed under"));
    }

    // B20: what was answered 503 is executed when it comes again.
    void withoutItsDatabaseTheEngineSays503AndRecovers()
    {
        const std::string paid = payment("10.00");
        const std::string paidKey = freshKey();
        const Reply first = m_lab->post(paid, paidKey);
        QCOMPARE(first.status, 201);
        HeldLock lock(m_lab->workspace());
        end(QStringLiteral("kill"));
        // A backend may outlive its server for a moment and still serve: once the engine itself says that the database
        // is away, none is left.
        QTRY_COMPARE_WITH_TIMEOUT(ready(), 503, 30'000);
        QTRY_VERIFY_WITH_TIMEOUT(!isServed(), 30'000);
        const std::string body = payment("11.00");
        const std::string key = freshKey();
        const Reply away = m_lab->post(body, key);
        QCOMPARE(away.status, 503);
        QCOMPARE(away.problem(), std::string("database-unavailable"));
        QCOMPARE(away.member("retry"), std::string("same-key"));
        QVERIFY(std::atoi(away.header("Retry-After").c_str()) >= 1);
        const Reply replay = m_lab->post(paid, paidKey);
        QCOMPARE(replay.status, 503);
        QCOMPARE(m_lab->send("GET", "/healthz", {}, {}, m_lab->engine().adminPort()).status, 200);
        QCOMPARE(m_lab->charges().size(), std::size_t(1));
        lock.release();
        QTRY_COMPARE_WITH_TIMEOUT(ready(), 200, 60'000);
        Reply back;
        QTRY_VERIFY_WITH_TIMEOUT((back = m_lab->post(body, key)).status == 201, 60'000);
        QCOMPARE(m_lab->chargesOf(back.member("operationId")), 1);
        QCOMPARE(m_lab->post(paid, paidKey).body, first.body);
        QCOMPARE(m_lab->charges().size(), std::size_t(2));
        QCOMPARE(m_lab->judge(), std::string());
    }

    void ofSeveralEnginesOneStartsTheServer()
    {
        const auto second = m_lab->startAnother();
        const auto third = m_lab->startAnother();
        QVERIFY(second && third);
        const auto starts = [this] {
            int count = 0;
            for (const auto& entry : fs::directory_iterator(fs::path(m_lab->workspace()) / "log")) {
                const std::string text = contentOf(entry.path());
                for (std::size_t at = 0; (at = text.find("ready to accept connections", at)) != std::string::npos; ++at)
                    ++count;
            }
            return count;
        };
        const int before = starts();
        end(QStringLiteral("kill"));
        for (const Engine* engine : {&m_lab->engine(), second.get(), third.get()})
            QTRY_COMPARE_WITH_TIMEOUT(m_lab
                                          ->send("POST", "/payments",
                                                 {"Authorization: Bearer " + m_lab->apiKey(),
                                                  "Content-Type: application/json", "Idempotency-Key: " + freshKey()},
                                                 payment("10.00"), engine->port())
                                          .status,
                                      201, 60'000);
        QCOMPARE(starts(), before + 1);
        QVERIFY(second->terminate() == 0 && third->terminate() == 0);
        QCOMPARE(m_lab->judge(), std::string());
    }

    void anUncleanEndIsToldWithWhatIsRecovered_data()
    {
        QTest::addColumn<bool>("engine");
        QTest::addColumn<bool>("server");
        QTest::addColumn<QString>("said");
        QTest::newRow("the engine") << true << false << QStringLiteral("its PostgreSQL went on");
        QTest::newRow("the engine and PostgreSQL") << true << true << QStringLiteral("the power was cut");
    }
    // The last user is killed: its server goes on, or dies with it. The next start copes, tells, and stops it at its
    // end.
    void anUncleanEndIsToldWithWhatIsRecovered()
    {
        QFETCH(bool, engine);
        QFETCH(bool, server);
        QFETCH(QString, said);
        m_lab->script(R"({"rules":[{"do":"delay","ms":4000}]})");
        const std::string body = payment("10.00");
        const std::string key = freshKey();
        QCOMPARE(m_lab->post(body, key, {"Prefer: respond-async"}).status, 202);
        QVERIFY(m_lab->becomes("select count(*) from tekil.provider_attempt where state = 'open'", "1"));
        const int pid = m_lab->engine().process().pid();
        if (server)
            ::kill(serverPid(), SIGKILL);
        if (engine)
            m_lab->engine().process().kill();
        m_lab->restart();
        m_lab->script("{}");
        const std::string log = m_lab->engine().log();
        QVERIFY(has(log, said.toStdString()));
        QVERIFY(has(log, "recovering after an unclean end: 1 payments under way, of which 1 may have reached their "
                         "provider; 0 unknown; 0 requests not yet accepted; killed: tekild (pid "
                             + std::to_string(pid) + ")"));
        QVERIFY(has(m_lab->tekild({"workspace", "status", "--json"}).output, "\"lastUncleanEnd\":{\"foundAt\":\""));
        QTRY_COMPARE_WITH_TIMEOUT(m_lab->post(body, key).status, 201, 90'000);
        QCOMPARE(m_lab->charges().size(), std::size_t(1));
        QCOMPARE(m_lab->judge(), std::string());
        QVERIFY(m_lab->engine().terminate() == 0);
        QVERIFY(has(m_lab->tekild({"workspace", "status", "--json"}).output, "\"state\":\"stopped\""));
        m_lab->restart();
        QVERIFY(m_lab->engine().log().find("unclean") == std::string::npos); // told once
    }

private:
    int serverPid() const { return numberIn(m_lab->tekild({"workspace", "status", "--json"}).output, "serverPid"); }
    static bool isAnother(int server, int before) { return server > 1 && server != before; }
    int ready() const { return m_lab->send("GET", "/readyz", {}, {}, m_lab->engine().adminPort()).status; }
    // Whether anybody of the cluster still lives: its processes work in its directory.
    bool isServed() const
    {
        std::error_code ignored;
        for (const auto& entry : fs::directory_iterator("/proc", ignored))
            if (fs::read_symlink(entry.path() / "cwd", ignored) == fs::path(m_lab->workspace()) / "data")
                return true;
        return false;
    }
    void end(const QString& how) const
    {
        if (how == u"kill") {
            QVERIFY(serverPid() > 1);
            QCOMPARE(::kill(serverPid(), SIGKILL), 0);
            return;
        }
        const std::string data = m_lab->workspace() + "/data";
        QCOMPARE(runToEnd({"/usr/lib/postgresql/15/bin/pg_ctl", "stop", "-D", data, "-m", how.toStdString(), "-s"},
                          {.user = "postgres", .directory = "/"})
                     .exitCode,
                 0);
    }

    std::unique_ptr<EngineLab> m_lab;
};

TEKIL_TEST(UncleanEndTest)
#include "unclean_end_test.moc"
