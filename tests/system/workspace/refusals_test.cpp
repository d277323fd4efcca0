// What a workspace refuses, in one line that says what to do, with everything left as it was; and what it copes with.
#include "tests/support/test_main.h"
#include "tests/system/workspace/place.h"

#include <QTest>

#include <sys/mount.h>

#include <thread>

using namespace tekil::test;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

class RefusalsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aMistypedWorkspaceIsNotMade_data()
    {
        QTest::addColumn<QByteArray>("line");
        for (const char* const line : {"admin account open --currency TRY", "verify", "migrate", "workspace status",
                                       "workspace stop", "workspace backup /tmp/tekil-never-written.dump"})
            QTest::newRow(line) << QByteArray(line);
    }
    void aMistypedWorkspaceIsNotMade()
    {
        QFETCH(QByteArray, line);
        const Place place;
        Texts arguments;
        for (const QByteArray& word : line.split(' '))
            arguments.push_back(word.toStdString());
        const fs::path mistyped = place.root / "workpsace";
        arguments.insert(arguments.end(), {"--workspace", mistyped.string()});
        std::string errors;
        QCOMPARE(place.tekild(arguments, &errors).exitCode, 1);
        QVERIFY(isOneLine(errors) && has(errors, mistyped.string() + " does not exist"));
        QVERIFY(!fs::exists(mistyped));
    }

    void whatNeedsAWorkspaceIsUsageElsewhere_data()
    {
        QTest::addColumn<QByteArray>("line");
        for (const char* const line :
             {"run --demo", "workspace status", "workspace stop", "workspace backup f", "workspace restore f"})
            QTest::newRow(line) << QByteArray(line);
    }
    void whatNeedsAWorkspaceIsUsageElsewhere()
    {
        QFETCH(QByteArray, line);
        const Place place;
        Texts arguments;
        for (const QByteArray& word : line.split(' '))
            arguments.push_back(word.toStdString());
        arguments.insert(arguments.end(), {"--dsn", "host=/nowhere dbname=tekil"});
        std::string errors;
        QCOMPARE(place.tekild(arguments, &errors).exitCode, 2);
        QVERIFY(isOneLine(errors) && has(errors, "--dsn"));
    }

    void everyCommandHasItsHelp_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<QByteArray>("said");
        QTest::newRow("tekild") << QByteArray("") << QByteArray("--workspace DIR");
        QTest::newRow("run") << QByteArray("run") << QByteArray("creates its workspace");
        QTest::newRow("admin") << QByteArray("admin") << QByteArray("workspace that exists");
        QTest::newRow("workspace") << QByteArray("workspace") << QByteArray("restore");
        QTest::newRow("restore") << QByteArray("workspace restore") << QByteArray("--replace");
        QTest::newRow("backup") << QByteArray("workspace backup") << QByteArray("must not exist");
    }
    void everyCommandHasItsHelp()
    {
        QFETCH(QByteArray, line);
        QFETCH(QByteArray, said);
        const Place place;
        Texts arguments;
        for (const QByteArray& word : line.split(' '))
            if (!word.isEmpty())
                arguments.push_back(word.toStdString());
        arguments.emplace_back("--help");
        const Ended ended = place.tekild(arguments);
        QCOMPARE(ended.exitCode, 0);
        QVERIFY(has(ended.output, said.toStdString()));
    }

    void aForeignDirectoryIsLeftAsItIs()
    {
        const Place place;
        const fs::path foreign = place.root / "letters";
        fs::create_directories(foreign / "data");
        std::ofstream(foreign / "dear.txt") << "dear";
        const auto before = treeOf(foreign);
        const std::string why = place.refusal(foreign);
        QVERIFY(isOneLine(why) && has(why, "not a Tekil workspace") && has(why, "--workspace"));
        std::string errors;
        QCOMPARE(place.tekild({"workspace", "restore", "/nowhere", "--workspace", foreign.string()}, &errors).exitCode,
                 1);
        QVERIFY(isOneLine(errors));
        QVERIFY(treeOf(foreign) == before);
    }

    void parentsThatCannotBeUsedAreNamed()
    {
        if (geteuid() != 0)
            QSKIP("only root runs the server as another account");
        const Place place;
        const fs::path closed = place.root / "closed";
        fs::create_directory(closed);
        chmod(closed.c_str(), 0700);
        const std::string unreachable = place.refusal(closed / "w");
        QVERIFY(isOneLine(unreachable) && has(unreachable, "cannot enter " + closed.string()));
        QVERIFY(fs::is_empty(closed));
        chmod(closed.c_str(), 0555);
        const std::string unwritable = place.refusal(closed / "w", {.user = "postgres"});
        QVERIFY(isOneLine(unwritable) && has(unwritable, "cannot create a directory in " + closed.string()));
        QVERIFY(fs::is_empty(closed));
    }

    void tooLongASocketPathIsRefusedAndNothingStays()
    {
        if (geteuid() != 0)
            QSKIP("needs an account of its own");
        const Place place;
        const fs::path owned = place.root / "home";
        const fs::path runtime = owned / std::string(100, 'r');
        fs::create_directories(runtime);
        QCOMPARE(runToEnd({"chown", "-R", "postgres", owned.string()}).exitCode, 0);
        const std::string why = place.refusal(
            owned / "w", {.user = "postgres", .environment = {"XDG_RUNTIME_DIR=" + runtime.string()}});
        QVERIFY(isOneLine(why) && has(why, "too long") && has(why, "XDG_RUNTIME_DIR"));
        QVERIFY(!fs::exists(owned / "w" / "data"));
    }

    void pathsThatPeopleUseWork_data()
    {
        QTest::addColumn<QString>("name");
        QTest::newRow("spaces") << QStringLiteral("my own work space");
        QTest::newRow("quote") << QStringLiteral("Ayşe'nin 'iş' dizini");
        QTest::newRow("Turkish") << QStringLiteral("ıİşŞğĞüÜöÖçÇ");
        QTest::newRow("long") << QString(200, u'l');
    }
    void pathsThatPeopleUseWork()
    {
        QFETCH(QString, name);
        Place place;
        const fs::path workspace = place.root / name.toStdString();
        const fs::path backup = place.root / (name.toStdString() + ".dump");
        std::string why;
        auto engine = place.start(workspace, &why);
        QVERIFY2(engine, why.c_str());
        QCOMPARE(
            place.tekild({"admin", "account", "open", "--currency", "TRY", "--workspace", workspace.string()}).exitCode,
            0);
        QCOMPARE(place.tekild({"workspace", "backup", backup.string(), "--workspace", workspace.string()}).exitCode, 0);
        QVERIFY(engine->terminate() == 0);
        const fs::path again = place.root / (name.toStdString().substr(0, 100) + " 2");
        std::string errors;
        QCOMPARE(
            place.tekild({"workspace", "restore", backup.string(), "--workspace", again.string()}, &errors).exitCode,
            0);
        engine = place.start(again, &why);
        QVERIFY2(engine, why.c_str());
        QVERIFY(engine->terminate() == 0);
    }

    void aPathThatPostgresqlCannotBeGivenIsRefused()
    {
        const Place place;
        for (const char* const name : {"a\"b", "a$b", "a`b", "a\\b", "a\nb"}) {
            const std::string why = place.refusal(place.root / name);
            QVERIFY(has(why, "may not hold double quotation marks"));
            QVERIFY(!fs::exists(place.root / name));
        }
    }

    void firstStartsAtOnceMakeOneWorkspace_data()
    {
        QTest::addColumn<int>("count");
        QTest::newRow("two") << 2;
        QTest::newRow("five") << 5;
    }
    void firstStartsAtOnceMakeOneWorkspace()
    {
        QFETCH(int, count);
        Place place;
        const fs::path workspace = place.root / "w";
        std::vector<std::unique_ptr<Process>> programs;
        for (int i = 0; i < count; ++i)
            programs.push_back(std::make_unique<Process>(Texts{std::string(TEKIL_BIN_DIR) + "/tekild", "run",
                                                               "--workspace", workspace.string(), "--listen",
                                                               "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"},
                                                         ProcessOptions{.errorFile = ""}));
        for (const auto& program : programs)
            QVERIFY(has(program->readLine(300s).value_or("nothing"), "\"ready\":true"));
        for (const auto& program : programs)
            QVERIFY(has(place.status(workspace), "{\"pid\":" + std::to_string(program->pid()) + ","));
        for (const auto& program : programs) {
            program->send(SIGTERM);
            QVERIFY(program->wait(60s) == 0);
        }
        QVERIFY(has(place.status(workspace), "\"state\":\"stopped\""));
    }

    void anotherMajorOfPostgresqlIsLeftAsItIs()
    {
        Place place;
        const fs::path workspace = place.root / "w";
        auto engine = place.start(workspace);
        QVERIFY(engine && engine->terminate() == 0);
        for (const char* const major : {"14", "99"}) {
            std::ofstream(workspace / "data" / "PG_VERSION") << major << "\n";
            const auto before = treeOf(workspace);
            const std::string why = place.refusal(workspace);
            QVERIFY(isOneLine(why) && has(why, std::string("PostgreSQL ") + major) && has(why, "--workspace"));
            QVERIFY(treeOf(workspace) == before);
        }
        std::ofstream(workspace / "data" / "PG_VERSION") << "15\n";
        engine = place.start(workspace);
        QVERIFY(engine && engine->terminate() == 0);
    }

    void aNewerSchemaIsRefused()
    {
        Place place;
        const fs::path workspace = place.root / "w";
        auto engine = place.start(workspace);
        QVERIFY(engine);
        asOwner(engine->dsn(), "insert into tekil.schema_version (version, name, checksum) values (9999, 'x', 'x')");
        QVERIFY(engine->terminate() == 0);
        const std::string why = place.refusal(workspace);
        QVERIFY(isOneLine(why) && has(why, "newer Tekil") && has(why, "backups"));
        QVERIFY(has(place.status(workspace), "\"state\":\"stopped\""));
    }

    void anOlderSchemaIsSavedAndBroughtUpByWhoeverIsAlone()
    {
        Place place;
        const fs::path workspace = place.root / "w";
        auto engine = place.start(workspace);
        QVERIFY(engine);
        asOwner(engine->dsn(), "update tekil.routine_digest set digest = 'older'");
        const std::string why = place.refusal(workspace);
        QVERIFY(isOneLine(why) && has(why, "tekild (pid " + std::to_string(engine->process().pid()) + ")")
                && has(why, "end that first"));
        QVERIFY(fs::is_empty(workspace / "backups"));
        QVERIFY(engine->terminate() == 0);
        engine = place.start(workspace);
        QVERIFY(engine);
        QCOMPARE(std::distance(fs::directory_iterator(workspace / "backups"), fs::directory_iterator()),
                 std::ptrdiff_t{1});
        QVERIFY(has(engine->log(), "before its upgrade is saved in"));
        QVERIFY(engine->terminate() == 0);
    }

    void aPidThatBelongsToAnotherProgramNowIsNoServer()
    {
        Place place;
        const fs::path workspace = place.root / "w";
        auto engine = place.start(workspace);
        QVERIFY(engine);
        const std::string dsn = engine->dsn();
        const fs::path socketDirectory = dsn.substr(5, dsn.find(' ') - 5);
        QVERIFY(engine->terminate() == 0);
        // Of the same account, so that PostgreSQL by itself would take it for its server.
        Process other({"sleep", "600"}, {.user = "postgres"});
        const fs::path pidFile = workspace / "data" / "postmaster.pid";
        const std::string rest = "\n" + (workspace / "data").string() + "\n1\n5432\n/run\n\n";
        for (const std::string& content : {std::to_string(other.pid()) + rest, std::string("4000000") + rest,
                                           std::to_string(other.pid()) + "\n", std::string()}) {
            const fs::path socketLock = socketDirectory / ".s.PGSQL.5432.lock";
            fs::create_directory(socketDirectory);
            std::ofstream(pidFile) << content;
            std::ofstream(socketLock) << other.pid() << rest;
            if (geteuid() == 0)
                QCOMPARE(runToEnd({"chown", "postgres:postgres", pidFile.string(), socketDirectory.string(),
                                   socketLock.string()})
                             .exitCode,
                         0);
            std::string why;
            engine = place.start(workspace, &why);
            QVERIFY2(engine, why.c_str());
            QVERIFY(engine->terminate() == 0);
            QVERIFY(other.isRunning());
        }
    }

    void aFullDiskIsSaidSoAndLosesNothing()
    {
        Place place;
        const fs::path disk = place.root / "disk";
        fs::create_directory(disk);
        if (mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=320m,mode=0755") != 0)
            QSKIP("this account may not mount a file system of its own");
        struct Unmount {
            fs::path disk;
            ~Unmount() { umount2(disk.c_str(), MNT_DETACH); }
        } const unmount{disk};
        const fs::path workspace = disk / "w";
        auto engine = place.start(workspace);
        QVERIFY(engine && engine->terminate() == 0);
        std::ofstream(disk / "filler") << std::string(400 << 20, 'x');
        const std::string why = place.refusal(workspace);
        QVERIFY(isOneLine(why) && has(why, "is full") && has(why, "make room"));
        fs::remove(disk / "filler");
        engine = place.start(workspace);
        QVERIFY(engine);
        std::ofstream(disk / "filler") << std::string(400 << 20, 'x');
        std::string errors;
        QCOMPARE(
            place
                .tekild({"workspace", "backup", (disk / "b.dump").string(), "--workspace", workspace.string()}, &errors)
                .exitCode,
            1);
        QVERIFY(isOneLine(errors) && has(errors, "No space left"));
        QVERIFY(!fs::exists(disk / "b.dump"));
        fs::remove(disk / "filler");
        QVERIFY(engine->terminate(15s) == 0);
        QCOMPARE(place.tekild({"verify", "--workspace", workspace.string()}).exitCode, 0);
        place.tekild({"workspace", "stop", "--workspace", workspace.string()});
    }
};

TEKIL_TEST(RefusalsTest)
#include "refusals_test.moc"
