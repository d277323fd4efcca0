// The command line that operators and scripts rely on: exit codes, one clear line, the configuration file.
#include "tests/support/engine_lab.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <fstream>
#include <memory>

using namespace tekil::test;

class CommandLineTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { m_lab = std::make_unique<EngineLab>(); }
    void cleanupTestCase()
    {
        QCOMPARE(m_lab->judge(), std::string());
        m_lab.reset();
    }

    void aWrongCommandLineIsUsageAndSaysWhy_data();
    void aWrongCommandLineIsUsageAndSaysWhy();
    void whatCannotBeDoneFailsWithOneLine_data();
    void whatCannotBeDoneFailsWithOneLine();
    void creditingWithTheSameIdMovesMoneyOnce();
    void aConfigurationFileIsReadAndTheCommandLineWins();
    void aWrongConfigurationFileIsNamed_data();
    void aWrongConfigurationFileIsNamed();
    void verifyNamesEveryCheck();
    void aDatabaseThatIsNotThereIsSaidSo();
    void anOperatorsPasswordIsToldOnceAndNeverWritten();

private:
    std::string file(const char* name, const QByteArray& content) const
    {
        const std::string path = (m_lab->directory() / name).string();
        std::ofstream(path) << content.toStdString();
        return path;
    }

    std::unique_ptr<EngineLab> m_lab;
};

void CommandLineTest::aWrongCommandLineIsUsageAndSaysWhy_data()
{
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<QByteArray>("said");
    const auto row = [](const char* line, const char* said) {
        QTest::newRow(line) << QByteArray(line) << QByteArray(said);
    };
    row("fly", "subcommand");
    row("run --fast", "--fast");
    row("run --roles api,dance", "dance");
    row("run --config /nonexistent.toml", "/nonexistent.toml");
    row("verify --dsn host=x", "--workspace");
    row("admin", "");
    row("admin account open", "--currency");
    row("admin account open --currency try", "--currency");
    row("admin account open --currency TRY --kind system", "--kind");
    row("admin account credit --account 101 --amount 1,00 --id 00000000-0000-4000-8000-000000000001", "--amount");
    row("admin account credit --account 101 --amount 1.005 --id 00000000-0000-4000-8000-000000000001", "--amount");
    row("admin account credit --account 101 --amount 1.00 --id 7", "--id");
    row("admin account credit --account one --amount 1.00 --id 00000000-0000-4000-8000-000000000001", "--account");
    row("admin provider add --name b --url http://127.0.0.1:1 --capability magic", "--capability");
    row("admin provider add --name b --url http://127.0.0.1:1 --capability none --timeout 5", "--timeout");
    row("admin merchant add --name m", "--default-account");
    row("admin operator add --login desk1 --role king", "--role");
}

void CommandLineTest::aWrongCommandLineIsUsageAndSaysWhy()
{
    QFETCH(QByteArray, line);
    QFETCH(QByteArray, said);
    Texts arguments;
    for (const QByteArray& word : line.split(' '))
        arguments.push_back(word.toStdString());
    const auto rows = m_lab->sql(
        "select (select count(*) from tekil.account) || ' ' || (select count(*) from tekil.provider)");
    std::string errors;
    QCOMPARE(m_lab->tekild(arguments, &errors).exitCode, 2);
    QVERIFY2(errors.find(said.toStdString()) != std::string::npos, errors.c_str());
    QVERIFY(!errors.empty());
    QCOMPARE(m_lab->sql("select (select count(*) from tekil.account) || ' ' || (select count(*) from tekil.provider)"),
             rows);
}

void CommandLineTest::whatCannotBeDoneFailsWithOneLine_data()
{
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<QByteArray>("said");
    const auto row = [](const char* line, const char* said) {
        QTest::newRow(line) << QByteArray(line) << QByteArray(said);
    };
    row("admin account credit --account 999999 --amount 1.00 --id 00000000-0000-4000-8000-000000000001", "999999");
    row("admin account credit --account 101 --amount 0.00 --id 00000000-0000-4000-8000-000000000001", "amount");
    row("admin merchant add --name shop --default-account 101 --provider bank", "shop");
    row("admin merchant add --name m2 --default-account 999999 --provider bank", "999999");
    row("admin merchant add --name m2 --default-account 101 --provider nobody", "nobody");
    row("admin merchant add --name m2 --default-account 101 --provider bank --limit 1,5", "limit");
    row("admin merchant grant --name nobody --account 101", "nobody");
    row("admin provider add --name bank --url http://127.0.0.1:1 --capability none", "bank");
    row("admin operator add --login tekil_eve --role finance", "login");
}

void CommandLineTest::whatCannotBeDoneFailsWithOneLine()
{
    QFETCH(QByteArray, line);
    QFETCH(QByteArray, said);
    Texts arguments;
    for (const QByteArray& word : line.split(' '))
        arguments.push_back(word.toStdString());
    std::string errors;
    const Ended ended = m_lab->tekild(arguments, &errors);
    QVERIFY2(ended.exitCode == 1, (std::to_string(ended.exitCode) + errors).c_str());
    QVERIFY2(errors.starts_with("tekild: ") && errors.find(said.toStdString()) != std::string::npos, errors.c_str());
    QVERIFY2(std::count(errors.begin(), errors.end(), '\n') == 1, errors.c_str());
    QCOMPARE(ended.output, std::string());
}

void CommandLineTest::creditingWithTheSameIdMovesMoneyOnce()
{
    const std::string account = m_lab->admin({"account", "open", "--currency", "TRY"}, "accountId");
    const std::string id = freshKey();
    for (int i = 0; i < 2; ++i)
        QCOMPARE(m_lab->admin({"account", "credit", "--account", account, "--amount", "2000.00", "--id", id},
                              "transactionId"),
                 id);
    QCOMPARE(m_lab->sql("select available_minor from tekil.account where account_id = " + account),
             std::string("200000"));
    std::string errors;
    QCOMPARE(
        m_lab->tekild({"admin", "account", "credit", "--account", account, "--amount", "2000.01", "--id", id}, &errors)
            .exitCode,
        1);
    QVERIFY2(errors.find(id) != std::string::npos, errors.c_str());
}

void CommandLineTest::aConfigurationFileIsReadAndTheCommandLineWins()
{
    const std::string port = std::to_string(freePort());
    const std::string path = file("good.toml", "workspace = \"" + QByteArray::fromStdString(m_lab->workspace())
                                                   + "\"\nlisten = \"127.0.0.1:" + QByteArray::fromStdString(port)
                                                   + "\"\nadmin_listen = \"127.0.0.1:1\"\nroles = [\"api\"]\n");
    std::string why;
    const std::unique_ptr<Engine> engine = Engine::start({"--config", path, "--admin-listen", "127.0.0.1:0"}, {},
                                                         m_lab->directory() / "config.log", &why);
    QVERIFY2(engine != nullptr, why.c_str());
    QCOMPARE(std::to_string(engine->port()), port);
    QVERIFY(engine->adminPort() > 1);
    QVERIFY(engine->terminate() == 0);
}

void CommandLineTest::aWrongConfigurationFileIsNamed_data()
{
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QByteArray>("said");
    QTest::newRow("no TOML") << QByteArray("listen = \n") << QByteArray("line 1");
    QTest::newRow("unknown member") << QByteArray("colour = \"red\"\n") << QByteArray("colour");
    QTest::newRow("wrong type") << QByteArray("listen = 8080\n") << QByteArray("listen");
    QTest::newRow("roles as text") << QByteArray("roles = \"api\"\n") << QByteArray("roles");
    QTest::newRow("unknown role") << QByteArray("roles = [\"dance\"]\n") << QByteArray("dance");
    QTest::newRow("no address") << QByteArray("listen = \"here\"\n") << QByteArray("here");
}

void CommandLineTest::aWrongConfigurationFileIsNamed()
{
    QFETCH(QByteArray, content);
    QFETCH(QByteArray, said);
    const std::string path = file("wrong.toml", content);
    std::string why;
    const auto engine = Engine::start(
        {"--workspace", m_lab->workspace(), "--admin-listen", "127.0.0.1:0", "--config", path}, {},
        m_lab->directory() / "wrong.log", &why);
    QVERIFY(engine == nullptr);
    std::filesystem::remove(m_lab->directory() / "wrong.log");
    QVERIFY2(why.find(said.toStdString()) != std::string::npos, why.c_str());
}

void CommandLineTest::verifyNamesEveryCheck()
{
    const Ended words = m_lab->tekild({"verify"});
    QCOMPARE(words.exitCode, 0);
    const Ended json = m_lab->tekild({"verify", "--json"});
    QCOMPARE(json.exitCode, 0);
    for (const char* check :
         {"balances", "zero sums", "reservations", "single effect", "transitions", "counters", "cases"}) {
        QVERIFY2(words.output.find(std::string("\n") + check) != std::string::npos || words.output.starts_with(check),
                 words.output.c_str());
        QVERIFY2(json.output.find(std::string("{\"check\":\"") + check + "\",\"holds\":true,\"problems\":[]}")
                     != std::string::npos,
                 json.output.c_str());
    }
}

void CommandLineTest::aDatabaseThatIsNotThereIsSaidSo()
{
    const std::string log = (m_lab->directory() / "nowhere.log").string();
    const Ended ended = runToEnd(
        {std::string(TEKIL_BIN_DIR) + "/tekild", "verify", "--dsn", "host=127.0.0.1 port=1 dbname=tekil user=x"},
        {.errorFile = log});
    QCOMPARE(ended.exitCode, 1);
    std::ifstream in(log);
    const std::string errors{std::istreambuf_iterator<char>(in), {}};
    QVERIFY2(errors.starts_with("tekild: "), errors.c_str());
}

void CommandLineTest::anOperatorsPasswordIsToldOnceAndNeverWritten()
{
    const std::string made = m_lab->admin({"operator", "add", "--login", "desk1", "--role", "support"}, "password");
    QVERIFY(made.size() >= 20);
    const std::string path = file("password", "from-a-file-77\n");
    const Ended given = m_lab->tekild(
        {"admin", "operator", "add", "--login", "desk2", "--role", "finance", "--password-file", path, "--json"});
    QCOMPARE(given.exitCode, 0);
    QCOMPARE(given.output, std::string("{\"login\":\"desk2\"}\n"));
    QVERIFY(m_lab->engine().log().find(made) == std::string::npos);
    std::string errors;
    QCOMPARE(m_lab->tekild({"admin", "operator", "add", "--login", "desk1", "--role", "support"}, &errors).exitCode, 1);
    QVERIFY2(errors.find("desk1") != std::string::npos, errors.c_str());
}

TEKIL_TEST(CommandLineTest)
#include "command_line_test.moc"
