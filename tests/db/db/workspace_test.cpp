// The local workspace: who creates, joins, stops and refuses, also when processes die. Other users are forked children.
#include "core/db/workspace.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>

using namespace tekil;
using namespace tekil::db;
namespace fs = std::filesystem;

namespace {

constexpr std::array<sql::Migration, 2> kSteps{{
    {1, "first", "aa", "CREATE TABLE tekil.thing (n int); INSERT INTO tekil.thing VALUES (1);"},
    {2, "second", "bb", "INSERT INTO tekil.thing VALUES (2);"},
}};

// A directory that any account can enter, taken away at the end.
struct Place {
    fs::path root;
    Place()
    {
        std::string pattern = "/tmp/tekil-w-XXXXXX";
        if (mkdtemp(pattern.data()) == nullptr || chmod(pattern.c_str(), 0755) != 0)
            qFatal("no temporary directory");
        root = pattern;
    }
    ~Place()
    {
        [[maybe_unused]] const Result<void> stopped = Workspace::stop(
            directory()); // where a killed user left it running
        std::error_code ignored;
        fs::remove_all(root, ignored);
    }
    fs::path directory() const { return root / "w"; }
    WorkspaceOptions options(std::size_t steps = 1) const
    {
        WorkspaceOptions options;
        options.schema = {std::span(kSteps).first(steps), {}, "d", embeddedSchema().bootstrapRoles};
        options.runtimeDirectory = root;
        return options;
    }
};

// A process that opens the workspace, says so, and stays until it is killed or told to leave.
class User {
public:
    explicit User(const Place& place)
    {
        if (pipe(m_said) != 0 || pipe(m_told) != 0)
            qFatal("no pipe");
        m_pid = fork();
        if (m_pid == 0)
            live(place);
        close(m_said[1]);
        close(m_told[0]);
    }
    ~User()
    {
        kill();
        close(m_said[0]);
        close(m_told[1]);
    }
    // 'c' created it, 'j' joined it, 'e' failed.
    char hear()
    {
        char word = '?';
        pollfd waiting{m_said[0], POLLIN, 0};
        if (poll(&waiting, 1, 60'000) != 1 || ::read(m_said[0], &word, 1) != 1)
            return '?';
        return word;
    }
    void leave()
    {
        const char end = 'x';
        if (write(m_told[1], &end, 1) != 1)
            qFatal("no user to tell");
        await();
    }
    void kill()
    {
        if (m_pid < 0)
            return;
        ::kill(m_pid, SIGKILL);
        await();
    }
    pid_t pid() const { return m_pid; }

private:
    void await()
    {
        waitpid(m_pid, nullptr, 0);
        m_pid = -1;
    }
    [[noreturn]] void live(const Place& place)
    {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        char word = 'e';
        {
            Result<Workspace> workspace = Workspace::open(place.directory(), place.options());
            if (workspace)
                word = workspace->report().created ? 'c' : 'j';
            if (write(m_said[1], &word, 1) != 1)
                _exit(1);
            char end = 0;
            if (::read(m_told[0], &end, 1) != 1)
                _exit(1);
        }
        _exit(0);
    }
    pid_t m_pid = -1;
    int m_said[2];
    int m_told[2];
};

std::string read(const std::string& dsn, const std::string& text)
{
    Result<Connection> connection = Connection::open(dsn);
    if (!connection)
        return "error: " + connection.error().detail;
    const Result<Rows> rows = connection->exec(text);
    if (!rows.ok())
        return "error: " + rows.error().detail;
    return rows.value().count() > 0 ? std::string(rows.value().text(0, 0)) : "";
}

bool isRunning(const Place& place)
{
    const Result<WorkspaceStatus> status = Workspace::status(place.directory());
    return status.ok() && status.value().running;
}

std::string refusal(const fs::path& directory, const WorkspaceOptions& options)
{
    const Result<Workspace> workspace = Workspace::open(directory, options);
    return workspace.ok() ? "opened" : workspace.error().detail;
}

bool contains(const std::string& text, const std::string& part)
{
    if (text.find(part) != std::string::npos)
        return true;
    qWarning("\"%s\" does not contain \"%s\"", text.c_str(), part.c_str());
    return false;
}

} // namespace

class WorkspaceTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aWorkspaceIsCreatedUsedStoppedAndFoundAgain()
    {
        const Place place;
        {
            Result<Workspace> workspace = Workspace::open(place.directory(), place.options());
            QVERIFY2(workspace.ok(), workspace.ok() ? "" : workspace.error().detail.c_str());
            QVERIFY(workspace->report().created && workspace->report().started && !workspace->report().uncleanEnd);
            QCOMPARE(read(workspace->dsn("tekil_owner"), "SELECT sum(n) FROM tekil.thing"), std::string("1"));
            QCOMPARE(read(workspace->dsn("tekil_engine"), "SELECT session_user"), std::string("tekil_engine"));
            QCOMPARE(read(workspace->dsn("tekil_owner"), "SHOW data_checksums"), std::string("on"));
            QCOMPARE(read(workspace->dsn("tekil_owner"), "SHOW listen_addresses"), std::string());
            QCOMPARE(read(workspace->dsn("tekil_owner"), "SHOW fsync"), std::string("on"));
            Result<Connection> owner = Connection::open(workspace->dsn("tekil_owner"));
            QVERIFY(refuseUnsafeServer(*owner).ok());
            QVERIFY(workspace->close().ok());
        }
        QVERIFY(!isRunning(place));
        Result<Workspace> again = Workspace::open(place.directory(), place.options());
        QVERIFY(again.ok());
        QVERIFY(!again->report().created && again->report().started && !again->report().uncleanEnd);
        QCOMPARE(read(again->dsn("tekil_owner"), "SELECT sum(n) FROM tekil.thing"), std::string("1"));
    }

    void peopleNeedTheirPassword()
    {
        const Place place;
        Result<Workspace> workspace = Workspace::open(place.directory(), place.options());
        QVERIFY(workspace.ok());
        QCOMPARE(read(workspace->dsn("postgres"), "CREATE ROLE desk1 LOGIN PASSWORD 'secret words'"), std::string());
        QVERIFY(contains(read(workspace->dsn("desk1"), "SELECT 1"), "password"));
        QVERIFY(contains(read(workspace->dsn("desk1") + " password=wrong", "SELECT 1"), "password"));
        QCOMPARE(read(workspace->dsn("desk1") + " password='secret words'", "SELECT 1"), std::string("1"));
    }

    void ofTwoAtOnceOneCreatesAndTheOtherJoins()
    {
        const Place place;
        User one(place);
        User two(place);
        std::string words{one.hear(), two.hear()};
        std::sort(words.begin(), words.end());
        QCOMPARE(words, std::string("cj"));
        const Result<WorkspaceStatus> status = Workspace::status(place.directory());
        QCOMPARE(status.value().users.size(), std::size_t{2});
        one.leave();
        QVERIFY(isRunning(place));
        two.leave();
        QVERIFY(!isRunning(place));
    }

    void theServerOutlivesAKilledUserWhileAnotherStays()
    {
        const Place place;
        User creator(place);
        QCOMPARE(creator.hear(), 'c');
        Result<Workspace> workspace = Workspace::open(place.directory(), place.options());
        QVERIFY(workspace.ok());
        creator.kill();
        QCOMPARE(read(workspace->dsn("tekil_engine"), "SELECT 1"), std::string("1"));
        QVERIFY(workspace->close().ok());
        QVERIFY(!isRunning(place));
    }

    void afterTheLastUserWasKilledTheNextStartFindsEverything()
    {
        const Place place;
        User user(place);
        QCOMPARE(user.hear(), 'c');
        user.kill();
        QVERIFY(isRunning(place));
        {
            Result<Workspace> workspace = Workspace::open(place.directory(), place.options());
            QVERIFY(workspace.ok());
            QVERIFY(workspace->report().uncleanEnd);
            QVERIFY(!workspace->report().started);
            QCOMPARE(read(workspace->dsn("tekil_owner"), "SELECT sum(n) FROM tekil.thing"), std::string("1"));
        }
        QVERIFY(!isRunning(place));
    }

    void aServerThatWasKilledIsStartedAgain()
    {
        const Place place;
        User user(place);
        QCOMPARE(user.hear(), 'c');
        ::kill(Workspace::status(place.directory()).value().serverPid, SIGKILL);
        user.kill();
        Result<Workspace> workspace = Workspace::open(place.directory(), place.options());
        QVERIFY2(workspace.ok(), workspace.ok() ? "" : workspace.error().detail.c_str());
        QVERIFY(workspace->report().uncleanEnd && workspace->report().started);
        QCOMPARE(read(workspace->dsn("tekil_owner"), "SELECT sum(n) FROM tekil.thing"), std::string("1"));
    }

    void aLeftOverPidFileOfAnotherProcessHurtsNobody()
    {
        const Place place;
        QVERIFY(Workspace::open(place.directory(), place.options()).ok());
        {
            std::ofstream pid(place.directory() / "data" / "postmaster.pid");
            pid << getpid() << "\n" << (place.directory() / "data").string() << "\n1\n5432\n";
            pid << place.root.string() << "\n\n";
        }
        QVERIFY(!isRunning(place));
        QVERIFY(Workspace::stop(place.directory()).ok()); // this process is not sent a signal
        Result<Workspace> workspace = Workspace::open(place.directory(), place.options());
        QVERIFY2(workspace.ok(), workspace.ok() ? "" : workspace.error().detail.c_str());
    }

    void anUpgradeWritesABackupFirst()
    {
        const Place place;
        QVERIFY(Workspace::open(place.directory(), place.options(1)).ok());
        Result<Workspace> workspace = Workspace::open(place.directory(), place.options(2));
        QVERIFY2(workspace.ok(), workspace.ok() ? "" : workspace.error().detail.c_str());
        QCOMPARE(workspace->report().migration.from, 1);
        QCOMPARE(workspace->report().migration.to, 2);
        const fs::path backup = workspace->report().backupFile;
        QVERIFY(fs::file_size(backup) > 0);
        QCOMPARE(static_cast<int>(fs::status(backup).permissions() & fs::perms::mask), 0600);
        QVERIFY(workspace->backup(place.root / "mine.dump").ok());
        QVERIFY(!workspace->backup(place.root / "mine.dump").ok()); // never over another
    }

    void anUpgradeWhileOthersUseItIsRefusedAndNamesThem()
    {
        const Place place;
        User user(place);
        QCOMPARE(user.hear(), 'c');
        const std::string why = refusal(place.directory(), place.options(2));
        QVERIFY(contains(why, "pid " + std::to_string(user.pid())));
        QVERIFY(isRunning(place));
        const Result<void> stopped = Workspace::stop(place.directory());
        QVERIFY(!stopped.ok() && contains(stopped.error().detail, "pid " + std::to_string(user.pid())));
    }

    void aNewerSchemaIsRefused()
    {
        const Place place;
        QVERIFY(Workspace::open(place.directory(), place.options(2)).ok());
        QVERIFY(contains(refusal(place.directory(), place.options(1)), "newer Tekil"));
        QVERIFY(!isRunning(place));
        QVERIFY(Workspace::open(place.directory(), place.options(2)).ok());
    }

    void aForeignDirectoryIsRefusedAndLeftAsItIs()
    {
        const Place place;
        fs::create_directory(place.directory());
        std::ofstream(place.directory() / "letter.txt") << "dear";
        QVERIFY(contains(refusal(place.directory(), place.options()), "not a Tekil workspace"));
        QCOMPARE(std::distance(fs::directory_iterator(place.directory()), fs::directory_iterator()), std::ptrdiff_t{1});
        QVERIFY(contains(refusal(place.directory() / "letter.txt", place.options()), "not a Tekil workspace"));
    }

    void anotherPostgresqlMajorIsRefusedAndLeftAsItIs()
    {
        const Place place;
        QVERIFY(Workspace::open(place.directory(), place.options()).ok());
        for (const char* const major : {"14", "93"}) {
            std::ofstream(place.directory() / "data" / "PG_VERSION") << major << "\n";
            QVERIFY(contains(refusal(place.directory(), place.options()), std::string("PostgreSQL ") + major));
        }
        std::ofstream(place.directory() / "data" / "PG_VERSION") << "15\n";
        QVERIFY(Workspace::open(place.directory(), place.options()).ok());
    }

    void aParentThatCannotBeEnteredIsNamed()
    {
        if (geteuid() != 0)
            QSKIP("only root runs the server as another account");
        const Place place;
        const fs::path closed = place.root / "closed";
        fs::create_directory(closed);
        chmod(closed.c_str(), 0700);
        QVERIFY(contains(refusal(closed / "w", place.options()), "cannot enter " + closed.string()));
        QVERIFY(fs::is_empty(closed));
    }

    void aParentThatIsNoDirectoryIsNamed()
    {
        const Place place;
        std::ofstream(place.root / "file") << "x";
        QVERIFY(contains(refusal(place.root / "file" / "w", place.options()), (place.root / "file").string()));
    }

    void tooLongASocketPathIsRefusedAndNothingStays()
    {
        const Place place;
        WorkspaceOptions options = place.options();
        options.runtimeDirectory = place.root / std::string(90, 'r');
        fs::create_directory(options.runtimeDirectory);
        QVERIFY(contains(refusal(place.directory(), options), "too long"));
        QVERIFY(!fs::exists(place.directory() / "data"));
        QVERIFY(Workspace::open(place.directory(), place.options()).ok());
    }

    void aSocketDirectoryOfSomebodyElseIsRefused()
    {
        const Place place;
        fs::path socketDirectory;
        {
            Result<Workspace> workspace = Workspace::open(place.directory(), place.options());
            QVERIFY(workspace.ok());
            socketDirectory = Workspace::status(place.directory()).value().socketDirectory;
            struct stat about{};
            QCOMPARE(stat(socketDirectory.c_str(), &about), 0);
            QCOMPARE(static_cast<int>(about.st_mode & 07777), 0755);
        }
        QVERIFY(!fs::exists(socketDirectory));
        fs::create_directory(socketDirectory);
        chmod(socketDirectory.c_str(), 0777);
        QVERIFY(contains(refusal(place.directory(), place.options()), socketDirectory.string()));
    }

    void aCreationThatWasKilledIsDoneAgain()
    {
        const Place place;
        {
            User user(place);
            while (!fs::exists(place.directory() / "data" / "global"))
                QTest::qSleep(5);
            user.kill();
        }
        Result<Workspace> workspace = Workspace::open(place.directory(), place.options());
        QVERIFY2(workspace.ok(), workspace.ok() ? "" : workspace.error().detail.c_str());
        QVERIFY(workspace->report().created && workspace->report().uncleanEnd);
    }

    void aWorkspaceWithoutItsMarkerIsNeverTakenForAnUnfinishedOne()
    {
        const Place place;
        QVERIFY(Workspace::open(place.directory(), place.options()).ok());
        fs::remove(place.directory() / "tekil-workspace.json");
        QVERIFY(contains(refusal(place.directory(), place.options()), "not a Tekil workspace"));
        QVERIFY(fs::exists(place.directory() / "data" / "PG_VERSION"));
    }
};
TEKIL_TEST(WorkspaceTest)

#include "workspace_test.moc"
