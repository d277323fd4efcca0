// A backup brought back: nothing that was in flight is charged twice, nothing that was there is deleted, people sign
// in.
#include "tests/support/test_main.h"
#include "tests/system/workspace/place.h"

#include <QTest>

#include <thread>

using namespace tekil::test;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

class RestoreTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatWasInFlightIsAskedForAndNotSentAnew();
    void whatMayHaveBeenSentSinceIsNeverSentToAProviderThatKnowsNoKeys();
    void thePresentDataIsSetAsideAndStaysAWorkspace();
    void peopleGetTheirLoginsWithNewPasswords();
    void whatCannotBeBroughtBackChangesNothing();
    void aBackupIsWholeOrNotThere();

private:
    static std::string backup(const EngineLab& lab, const char* name)
    {
        const std::string file = (lab.directory() / name).string();
        std::string errors;
        if (lab.tekild({"workspace", "backup", file}, &errors).exitCode != 0)
            qFatal("no backup: %s", errors.c_str());
        return file;
    }
    static std::string restore(EngineLab& lab, const std::string& file)
    {
        if (lab.engine().terminate() != 0)
            qFatal("the engine does not end");
        std::string errors;
        const Ended ended = lab.tekild({"workspace", "restore", file, "--replace", "--json"}, &errors);
        if (ended.exitCode != 0)
            qFatal("no restore: %s", errors.c_str());
        lab.restart();
        return ended.output;
    }
};

// Charged between the backup and the restore: the provider is asked, and the first charge stands.
void RestoreTest::whatWasInFlightIsAskedForAndNotSentAnew()
{
    EngineLab lab;
    lab.script(R"({"rules":[{"do":"delay","ms":3000}]})");
    const std::string body = payment("10.00");
    const std::string key = freshKey();
    const Reply first = lab.post(body, key, {"Prefer: respond-async"});
    QCOMPARE(first.status, 202);
    QVERIFY(lab.becomes("select count(*) from tekil.provider_attempt where state = 'open'", "1"));
    const std::string file = backup(lab, "in-flight.dump");
    QVERIFY(lab.becomes("select status from tekil.payment", "Completed"));
    const std::string report = restore(lab, file);
    QCOMPARE(numberIn(report, "processing"), 1);
    QVERIFY(lab.becomes("select status from tekil.payment", "Completed"));
    const Reply again = lab.post(body, key);
    QCOMPARE(again.status, 201);
    QCOMPARE(again.member("operationId"), first.member("operationId"));
    QCOMPARE(lab.charges().size(), std::size_t(1));
    QCOMPARE(lab.bankCount("duplicates"), 0);
    QCOMPARE(lab.sql("select count(*) from tekil.provider_attempt where why = 'restored'"), std::string("1"));
    QCOMPARE(lab.post(payment("12.00"), freshKey()).status, 201);
    QCOMPARE(lab.judge(), std::string());
}

// At the backup nothing had been sent; whether that is still so nobody knows, and this provider cannot be asked.
void RestoreTest::whatMayHaveBeenSentSinceIsNeverSentToAProviderThatKnowsNoKeys()
{
    const std::uint16_t port = freePort(); // nobody listens there yet
    EngineLab lab({.capability = "none", .providerPort = port});
    QCOMPARE(lab.post(payment("10.00"), freshKey(), {"Prefer: respond-async"}).status, 202);
    QVERIFY(lab.becomes("select status from tekil.payment", "Processing"));
    const std::string file = backup(lab, "unsent.dump");
    Process again({std::string(TEKIL_BIN_DIR) + "/tekil-bank", "--listen", "127.0.0.1:" + std::to_string(port)},
                  {.errorFile = ""});
    QVERIFY(again.readLine().has_value());
    QVERIFY(lab.becomes("select status from tekil.payment", "Completed"));
    restore(lab, file);
    QVERIFY(lab.becomes("select status from tekil.payment", "Unknown"));
    QCOMPARE(lab.sql("select string_agg(why, ' ') from tekil.provider_attempt where state <> 'not_sent'"),
             std::string("restored"));
    QCOMPARE(readBankLedger(lab.send("GET", "/ledger", {}, {}, port).body).size(), std::size_t(1));
    QCOMPARE(lab.sql("select sum(reserved_minor) from tekil.account"), std::string("1000")); // unknown is not failed
    QCOMPARE(lab.tekild({"verify"}).exitCode, 0);
}

void RestoreTest::thePresentDataIsSetAsideAndStaysAWorkspace()
{
    EngineLab lab;
    QCOMPARE(lab.post(payment("10.00"), freshKey()).status, 201);
    const std::string file = backup(lab, "one.dump");
    QCOMPARE(lab.post(payment("11.00"), freshKey()).status, 201);
    const std::string report = restore(lab, file);
    QCOMPARE(lab.count("payment"), 1); // what was charged since is in what was set aside
    const std::size_t at = report.find("\"setAside\":\"") + 12;
    const std::string aside = report.substr(at, report.find('"', at) - at);
    QVERIFY(fs::is_directory(aside));
    QVERIFY(lab.engine().terminate() == 0);
    Place place;
    auto old = place.start(aside);
    QVERIFY(old);
    QCOMPARE(asOwner(old->dsn(), "select count(*) from tekil.payment where status = 'Completed'"), std::string("2"));
    QVERIFY(old->terminate() == 0);
    QCOMPARE(place.tekild({"verify", "--workspace", aside}).exitCode, 0);
    lab.restart();
    QCOMPARE(lab.tekild({"verify"}).exitCode, 0);
}

void RestoreTest::peopleGetTheirLoginsWithNewPasswords()
{
    EngineLab lab;
    const std::string first = lab.admin({"operator", "add", "--login", "desk1", "--role", "support"}, "password");
    const std::string file = backup(lab, "people.dump");
    const std::string report = restore(lab, file);
    QVERIFY(has(report, "\"operators\":[{\"login\":\"desk1\",\"password\":\""));
    const std::size_t at = report.find("\"password\":\"") + 12;
    const std::string password = report.substr(at, report.find('"', at) - at);
    std::string dsn = lab.engine().dsn();
    const std::string engine = "user=tekil_engine";
    dsn.replace(dsn.find(engine), engine.size(), "user=desk1");
    const auto signIn = [&dsn](const std::string& word) {
        return runToEnd({"psql", dsn, "-wqAtc", "select count(*) from console.payment"},
                        {.environment = {"PGPASSWORD=" + word}})
            .exitCode;
    };
    QCOMPARE(signIn(password), 0);
    QVERIFY(signIn(first) != 0);
    QCOMPARE(lab.admin({"operator", "add", "--login", "desk2", "--role", "finance"}, "login"), std::string("desk2"));
}

void RestoreTest::whatCannotBeBroughtBackChangesNothing()
{
    EngineLab lab;
    const std::string good = backup(lab, "good.dump");
    asOwner(lab.engine().dsn(), "insert into tekil.schema_version (version, name, checksum) values (9999, 'x', 'x')");
    // By PostgreSQL's own program: ours refuses to open what is newer.
    const std::string newer = (lab.directory() / "newer.dump").string();
    QCOMPARE(runToEnd({"pg_dump", ownerDsn(lab.engine().dsn()), "-Fc", "-f", newer}).exitCode, 0);
    asOwner(lab.engine().dsn(), "delete from tekil.schema_version where version = 9999");
    asOwner(lab.engine().dsn(),
            "update tekil.account set available_minor = available_minor + 1 where account_id = " + lab.account());
    const std::string wrong = backup(lab, "wrong.dump");
    asOwner(lab.engine().dsn(),
            "update tekil.account set available_minor = available_minor - 1 where account_id = " + lab.account());
    const std::string cut = (lab.directory() / "cut.dump").string();
    std::ofstream(cut, std::ios::binary) << contentOf(good).substr(0, fs::file_size(good) - 4000);
    const std::string text = (lab.directory() / "text.dump").string();
    std::ofstream(text) << "dear diary";

    std::string errors;
    QCOMPARE(lab.tekild({"workspace", "restore", good}, &errors).exitCode, 1);
    QVERIFY(isOneLine(errors) && has(errors, "--replace"));
    QCOMPARE(lab.tekild({"workspace", "restore", good, "--replace"}, &errors).exitCode, 1);
    QVERIFY(isOneLine(errors) && has(errors, "tekild (pid " + std::to_string(lab.engine().process().pid()) + ") uses"));
    QVERIFY(lab.engine().terminate() == 0);
    const auto before = treeOf(lab.workspace());
    for (const auto& [file, said] : {std::pair(cut, "Nothing was changed"),
                                     {text, "cannot read it"},
                                     {newer, "newer"},
                                     {wrong, "do not hold"},
                                     {std::string("/nonexistent"), "cannot read"},
                                     {std::string("/dev/null"), "no plain file"}}) {
        QCOMPARE(lab.tekild({"workspace", "restore", file, "--replace"}, &errors).exitCode, 1);
        QVERIFY(has(errors.substr(errors.rfind("tekild: ")), said));
        QVERIFY(treeOf(lab.workspace()) == before);
    }
    lab.restart();
    QCOMPARE(lab.judge(), std::string());
}

void RestoreTest::aBackupIsWholeOrNotThere()
{
    EngineLab lab;
    const std::string file = backup(lab, "mine.dump");
    QCOMPARE(static_cast<int>(fs::status(file).permissions() & fs::perms::mask), 0600);
    const std::string content = contentOf(file);
    std::string errors;
    QCOMPARE(lab.tekild({"workspace", "backup", file}, &errors).exitCode, 1);
    QVERIFY(isOneLine(errors) && has(errors, "exists already"));
    QVERIFY(contentOf(file) == content);
    QCOMPARE(lab.tekild({"workspace", "backup", "/nonexistent/b.dump"}, &errors).exitCode, 1);
    QVERIFY(isOneLine(errors) && has(errors, "/nonexistent"));
    for (const auto& entry : fs::directory_iterator(lab.directory()))
        QVERIFY2(entry.path().string().find(".partial") == std::string::npos, entry.path().c_str());
}

TEKIL_TEST(RestoreTest)
#include "restore_test.moc"
