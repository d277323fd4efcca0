#include "tests/support/cluster.h"

#include <fcntl.h>
#include <libpq-fe.h>
#include <pwd.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

namespace tekil::test {

namespace fs = std::filesystem;

namespace {

constexpr const char* kPrefix = "tekil-test-";
constexpr const char* kTemplateDatabase = "tekil_template";

[[noreturn]] void die(const std::string& what)
{
    std::fprintf(stderr, "test cluster: %s\n", what.c_str());
    std::abort();
}

std::string binDirectory()
{
    const char* const set = std::getenv("TEKIL_PG_BIN");
    return set != nullptr ? set : "/usr/lib/postgresql/15/bin";
}

// PostgreSQL refuses root.
ProcessOptions asOwner()
{
    ProcessOptions options;
    options.user = "postgres";
    options.directory = "/";
    options.errorFile = "";
    return options;
}

ProcessOptions asSelf()
{
    ProcessOptions options;
    options.errorFile = "";
    return options;
}

std::string mustRun(const std::vector<std::string>& command, const ProcessOptions& options = asOwner())
{
    const Ended end = runToEnd(command, options);
    if (end.exitCode != 0)
        die(command.front() + " failed (" + std::to_string(end.exitCode) + "): " + end.output);
    return end.output;
}

void giveToOwner(const fs::path& directory)
{
    if (geteuid() != 0)
        return;
    const passwd* const postgres = getpwnam("postgres");
    if (postgres == nullptr || chown(directory.c_str(), postgres->pw_uid, postgres->pw_gid) != 0)
        die("cannot give " + directory.string() + " to postgres");
}

// Where templates are kept: in the build's directory, unless the server's account cannot enter it.
fs::path templatesDirectory()
{
    fs::path base = fs::path(TEKIL_BUILD_DIR) / "test-clusters";
    fs::create_directories(base);
    giveToOwner(base);
    if (runToEnd({"/usr/bin/test", "-x", base.string()}, asOwner()).exitCode == 0)
        return base;
    base = "/var/tmp/tekil-test-clusters-" + std::to_string(geteuid());
    fs::create_directories(base);
    giveToOwner(base);
    return base;
}

// The server as a child of this process, so that it ends with it.
std::unique_ptr<Process> startServer(const fs::path& data, const fs::path& socketDirectory)
{
    ProcessOptions options = asOwner();
    options.errorFile = (socketDirectory / "server.log").string();
    auto server = std::make_unique<Process>(
        std::vector<std::string>{binDirectory() + "/postgres", "-D", data.string(), "-k", socketDirectory.string()},
        options);
    const std::string where = "host=" + socketDirectory.string() + " port=5432 dbname=postgres user=postgres";
    for (int i = 0; i < 3000; ++i) {
        if (PQping(where.c_str()) == PQPING_OK)
            return server;
        if (!server->isRunning())
            break;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    std::ifstream log(options.errorFile);
    die("the server does not start:\n" + std::string(std::istreambuf_iterator<char>(log), {}));
}

void stopServer(Process& server, int signal)
{
    server.send(signal);
    server.wait();
}

fs::path makeTemporary()
{
    std::string pattern = "/tmp/" + std::string(kPrefix) + std::to_string(getpid()) + "-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr)
        die("cannot create " + pattern);
    giveToOwner(pattern);
    return pattern;
}

// What tests that were killed left behind.
void removeLeftovers()
{
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator("/tmp", ignored)) {
        const std::string name = entry.path().filename().string();
        if (!name.starts_with(kPrefix))
            continue;
        int pid = 0;
        const char* const begin = name.data() + std::string_view(kPrefix).size();
        std::from_chars(begin, name.data() + name.size(), pid);
        if (pid > 0 && ::kill(pid, 0) != 0 && errno == ESRCH)
            fs::remove_all(entry.path(), ignored);
    }
}

void makeTemplate(const fs::path& target)
{
    const fs::path work = makeTemporary();
    const fs::path data = work / "data";
    mustRun({binDirectory() + "/initdb", "-D", data.string(), "-U", "postgres", "--encoding=UTF8", "--locale=C.UTF-8",
             "--auth=trust", "--no-sync", "--no-instructions"});
    std::ofstream(data / "postgresql.conf", std::ios::app)
        << "fsync = off\nfull_page_writes = off\nlisten_addresses = ''\nport = 5432\nshared_buffers = 64MB\n"
           "max_connections = 100\nmin_wal_size = 32MB\nautovacuum = on\nlog_min_messages = warning\n"
           "log_statement = none\nlc_messages = 'C'\ntimezone = 'UTC'\n";
    {
        const std::unique_ptr<Process> server = startServer(data, work);
        mustRun({TEKIL_TEMPLATE_PROGRAM, "make", work.string(), kTemplateDatabase}, asSelf());
        stopServer(*server, SIGINT);
    }
    mustRun({"/bin/cp", "-a", data.string(), target.string() + ".new"});
    fs::rename(target.string() + ".new", target);
    fs::remove_all(work);
}

// Copies the template of this build's schema, which whichever executable comes first makes. Another one may replace it
// at any time, so the lock is held until the copy is done.
void copyTemplate(const fs::path& to)
{
    const fs::path base = templatesDirectory();
    const fs::path target = base / mustRun({TEKIL_TEMPLATE_PROGRAM, "key"}, asSelf()).substr(0, 24);
    const int lock = open((base / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock < 0 || flock(lock, LOCK_EX) != 0)
        die("cannot lock " + base.string());
    if (!fs::exists(target)) {
        for (const fs::directory_entry& old : fs::directory_iterator(base))
            if (old.is_directory())
                fs::remove_all(old.path());
        makeTemplate(target);
    }
    mustRun({"/bin/cp", "-a", "--reflink=auto", target.string(), to.string()});
    close(lock);
}

struct Closer {
    void operator()(PGconn* connection) const { PQfinish(connection); }
};

std::string runSql(const std::string& dsn, const std::string& text)
{
    const std::unique_ptr<PGconn, Closer> connection(PQconnectdb(dsn.c_str()));
    PGresult* const result = PQexec(connection.get(), text.c_str());
    const ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
        die(text + ": " + PQerrorMessage(connection.get()));
    std::string first = PQntuples(result) > 0 ? PQgetvalue(result, 0, 0) : "";
    PQclear(result);
    return first;
}

} // namespace

TestCluster& TestCluster::instance()
{
    static TestCluster cluster;
    return cluster;
}

TestCluster::TestCluster()
{
    removeLeftovers();
    m_directory = makeTemporary();
    copyTemplate(m_directory + "/data");
    start();
}

TestCluster::~TestCluster()
{
    stopServer(*m_server, SIGQUIT);
    std::error_code ignored;
    fs::remove_all(m_directory, ignored);
}

void TestCluster::start()
{
    m_server = startServer(m_directory + "/data", m_directory);
}

void TestCluster::crashAndRestart()
{
    stopServer(*m_server, SIGQUIT);
    start();
}

std::string TestCluster::dsn(std::string_view database, std::string_view user) const
{
    return "host=" + m_directory + " port=5432 dbname=" + std::string(database) + " user=" + std::string(user);
}

TestDatabase::TestDatabase(Content content)
{
    static std::atomic<int> count = 0;
    m_name = "test_" + std::to_string(++count);
    runSql(TestCluster::instance().dsn("postgres", "postgres"),
           "CREATE DATABASE " + m_name + " OWNER tekil_owner TEMPLATE "
               + (content == Content::Schema ? kTemplateDatabase : "template0"));
}

TestDatabase::~TestDatabase()
{
    runSql(TestCluster::instance().dsn("postgres", "postgres"), "DROP DATABASE " + m_name + " WITH (FORCE)");
}

std::string TestDatabase::dsn(std::string_view user) const
{
    return TestCluster::instance().dsn(m_name, user);
}

std::string TestDatabase::sql(const std::string& text) const
{
    return runSql(dsn("postgres"), text);
}

} // namespace tekil::test
