// tekil-bench: a short measurement tells what the bank booked, leaves nothing behind, and refuses what makes no sense.
#include "core/base/json.h"
#include "tests/support/engine_lab.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <signal.h>

#include <filesystem>
#include <thread>

using namespace tekil::test;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

std::string program()
{
    return std::string(TEKIL_BIN_DIR) + "/tekil-bench";
}

// A directory that the workspace's owner can enter, gone with the test.
class Place {
public:
    Place()
    {
        std::string pattern = "/tmp/tekil-bench-test-XXXXXX";
        if (mkdtemp(pattern.data()) == nullptr)
            qFatal("no directory");
        m_path = pattern;
        fs::permissions(m_path, fs::perms(0755));
    }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ~Place()
    {
        std::error_code ignored;
        fs::remove_all(m_path, ignored);
    }
    std::string path() const { return m_path.string(); }
    bool isEmpty() const { return fs::is_empty(m_path); }

private:
    fs::path m_path;
};

// A figure's text in the JSON answer; "" where there is none.
std::string figure(const std::string& output, std::string_view name)
{
    const auto json = tekil::parseJson(output);
    const tekil::JsonValue* const figures = json && json->isObject() ? json->find("figures") : nullptr;
    const tekil::JsonValue* const value = figures != nullptr ? figures->find(name) : nullptr;
    return value != nullptr ? value->text : "";
}

std::string trimmed(std::string text)
{
    while (!text.empty() && text.back() == '\n')
        text.pop_back();
    return text;
}

} // namespace

class BenchTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aShortMeasurementHoldsAndLeavesNothing();
    void givenTargetsAreMeasuredAgainstTheBanksLedger();
    void noFigureIsToldWhileAPaymentHasNotEnded();
    void anInterruptedMeasurementLeavesNothing();
    void wrongOptionsAreUsage_data();
    void wrongOptionsAreUsage();
    void theListNamesEveryMeasurement();
};

void BenchTest::aShortMeasurementHoldsAndLeavesNothing()
{
    const Place place;
    const Ended ended = runToEnd({program(), "--directory", place.path(), "sustained", "--seconds", "2", "--rate",
                                  "200", "--accounts", "50", "--merchants", "5", "--json"},
                                 {.errorFile = ""});
    QCOMPARE(ended.exitCode, 0);
    QCOMPARE(figure(trimmed(ended.output), "payments"), std::string("400"));
    QCOMPARE(figure(trimmed(ended.output), "backlog"), std::string("0"));
    QVERIFY(!figure(trimmed(ended.output), "completed").empty());
    QCOMPARE(figure(trimmed(ended.output), "completed"), figure(trimmed(ended.output), "bankBooked"));
    QVERIFY(place.isEmpty());
}

void BenchTest::givenTargetsAreMeasuredAgainstTheBanksLedger()
{
    EngineLab lab;
    const Place place;
    std::string dsn = lab.engine().dsn();
    dsn.replace(dsn.find("tekil_engine"), std::string_view("tekil_engine").size(), "tekil_owner");
    const Ended ended = runToEnd({program(), "--directory", place.path(), "--dsn", dsn, "--http",
                                  "http://127.0.0.1:" + std::to_string(lab.engine().port()), "--bank", lab.bankUrl(),
                                  "sustained", "--seconds", "2", "--rate", "200", "--accounts", "20", "--merchants",
                                  "2", "--json"},
                                 {.errorFile = ""});
    QCOMPARE(ended.exitCode, 0);
    QCOMPARE(figure(trimmed(ended.output), "payments"), std::string("400"));
    QCOMPARE(figure(trimmed(ended.output), "completed"), std::to_string(lab.bankCount("booked")));
    QCOMPARE(lab.bankCount("duplicates"), std::int64_t{0});
    QCOMPARE(lab.judge(), std::string());
}

void BenchTest::noFigureIsToldWhileAPaymentHasNotEnded()
{
    EngineLab lab;
    const Place place;
    // One payment hangs at the bank for longer than the measurement waits for it.
    lab.script(R"({"rules":[{"when":{"amount":"77.77"},"do":"pending"}]})");
    QCOMPARE(lab.post(payment("77.77"), freshKey(), {"Prefer: respond-async"}).status, 202);
    std::string dsn = lab.engine().dsn();
    dsn.replace(dsn.find("tekil_engine"), std::string_view("tekil_engine").size(), "tekil_owner");
    const Ended ended = runToEnd({program(), "--directory", place.path(), "--dsn", dsn, "--http",
                                  "http://127.0.0.1:" + std::to_string(lab.engine().port()), "--bank", lab.bankUrl(),
                                  "idle", "--payments", "5", "--rounds", "1", "--accounts", "5", "--patience", "1",
                                  "--json"},
                                 {.errorFile = ""});
    QCOMPARE(ended.exitCode, 1);
    QVERIFY2(ended.output.find("\"valid\":false") != std::string::npos, ended.output.c_str());
    QVERIFY2(ended.output.find("the backlog is not zero: 1 payments") != std::string::npos, ended.output.c_str());
    QVERIFY2(ended.output.find("ratio") == std::string::npos, ended.output.c_str());
}

void BenchTest::anInterruptedMeasurementLeavesNothing()
{
    const Place place;
    Process bench({program(), "--directory", place.path(), "sustained", "--seconds", "600", "--accounts", "10"},
                  {.errorFile = ""});
    // Once its engine says that it is ready, everything runs.
    const auto engineRuns = [&place] {
        for (const auto& entry : fs::directory_iterator(place.path()))
            if (fs::exists(entry.path() / "engine.log"))
                return true;
        return false;
    };
    for (const auto until = std::chrono::steady_clock::now() + 60s;
         !engineRuns() && std::chrono::steady_clock::now() < until;)
        std::this_thread::sleep_for(20ms);
    QVERIFY(engineRuns());
    bench.send(SIGINT);
    QVERIFY(bench.wait(60s) == 1);
    QVERIFY(place.isEmpty());
}

void BenchTest::wrongOptionsAreUsage_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::newRow("nothing") << QStringList{};
    QTest::newRow("no such measurement") << QStringList{QStringLiteral("speed")};
    QTest::newRow("no number") << QStringList{QStringLiteral("sustained"), QStringLiteral("--seconds"),
                                              QStringLiteral("soon")};
    QTest::newRow("no time") << QStringList{QStringLiteral("sustained"), QStringLiteral("--seconds"),
                                            QStringLiteral("0")};
    QTest::newRow("half of the targets") << QStringList{QStringLiteral("sustained"), QStringLiteral("--http"),
                                                        QStringLiteral("http://127.0.0.1:1")};
    QTest::newRow("another machine") << QStringList{QStringLiteral("sustained"),           QStringLiteral("--dsn"),
                                                    QStringLiteral("dbname=none"),         QStringLiteral("--http"),
                                                    QStringLiteral("http://192.0.2.1:80"), QStringLiteral("--bank"),
                                                    QStringLiteral("http://127.0.0.1:1")};
    QTest::newRow("seeding what is not its own") << QStringList{QStringLiteral("leases"),
                                                                QStringLiteral("--dsn"),
                                                                QStringLiteral("dbname=none"),
                                                                QStringLiteral("--http"),
                                                                QStringLiteral("http://127.0.0.1:1"),
                                                                QStringLiteral("--bank"),
                                                                QStringLiteral("http://127.0.0.1:1")};
    QTest::newRow("a workspace of no name") << QStringList{QStringLiteral("seed")};
}

void BenchTest::wrongOptionsAreUsage()
{
    QFETCH(QStringList, arguments);
    std::vector<std::string> command{program()};
    for (const QString& argument : arguments)
        command.push_back(argument.toStdString());
    const Ended ended = runToEnd(command);
    QCOMPARE(ended.exitCode, 2);
    QCOMPARE(ended.output, std::string());
}

void BenchTest::theListNamesEveryMeasurement()
{
    const Ended ended = runToEnd({program(), "--list"});
    QCOMPARE(ended.exitCode, 0);
    for (const char* name : {"life", "sustained", "idle", "saturation", "memory", "leases", "rows", "seed"})
        QVERIFY2(("\n" + ended.output).find("\n" + std::string(name) + " ") != std::string::npos, name);
}

TEKIL_TEST(BenchTest)
#include "bench_test.moc"
