#include "core/db/postgres_server.h"

#include "core/db/workspace_files.h"

#include <libpq-fe.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

namespace tekil::db {

namespace fs = std::filesystem;

namespace {

constexpr int kOldestMajor = 15;
constexpr std::chrono::seconds kCreateLimit{300};
constexpr std::chrono::seconds kStartLimit{900}; // recovery reads back what a crash left in the log
constexpr std::chrono::hours kDumpLimit{12};
constexpr std::chrono::seconds kOrphansEndBy{10};
constexpr std::uintmax_t kSpaceToStart = 48ULL * 1000 * 1000; // recovery writes at least two segments of its log
constexpr std::string_view kNobodysPid = "2147483647"; // above every kernel's highest

// For one small machine that also runs the engine and, often, a window.
constexpr std::string_view kSettings = R"(# Made by Tekil. Your own settings belong into ALTER SYSTEM.
listen_addresses = ''
port = 5432
unix_socket_permissions = 0777
max_connections = 100
shared_buffers = 256MB
max_wal_size = 4GB
checkpoint_timeout = 15min
wal_compression = on
fsync = on
full_page_writes = on
password_encryption = 'scram-sha-256'
timezone = 'UTC'
log_timezone = 'UTC'
lc_messages = 'C'
logging_collector = on
log_directory = '../log'
log_filename = 'postgresql-%a.log'
log_truncate_on_rotation = on
log_rotation_age = 1d
log_rotation_size = 0
log_line_prefix = '%m [%p] %q%u@%d %a '
log_parameter_max_length = 0
log_parameter_max_length_on_error = 0
include_if_exists = 'tekil-socket.conf'
)";

constexpr std::string_view kAccess = R"(# Made by Tekil: services as the directory's owner or root, people by password.
local all postgres,tekil_owner,tekil_engine peer map=tekil
local all all scram-sha-256
)";

std::optional<int> leadingNumber(std::string_view text)
{
    int value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    return problem == std::errc() ? std::optional(value) : std::nullopt;
}

fs::path binOf(int major)
{
    if (const char* set = std::getenv("TEKIL_PG_BIN"); set != nullptr && *set != '\0')
        return set;
    return fs::path("/usr/lib/postgresql") / std::to_string(major) / "bin";
}

bool isInstalled(int major)
{
    std::error_code ignored;
    return fs::exists(binOf(major) / "initdb", ignored) && fs::exists(binOf(major) / "pg_ctl", ignored);
}

std::optional<int> newestInstalled()
{
    std::optional<int> newest;
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator("/usr/lib/postgresql", ignored))
        if (const auto major = leadingNumber(entry.path().filename().string());
            major && *major >= kOldestMajor && isInstalled(*major) && (!newest || *major > *newest))
            newest = major;
    return newest;
}

// A setting's value: in quotes, doubled within.
std::string inQuotes(std::string_view text, char quote)
{
    std::string out(1, quote);
    for (const char c : text)
        out += c == quote ? std::string(2, quote) : std::string(1, c);
    return out + quote;
}

} // namespace

PostgresServer::PostgresServer(fs::path cluster, Account account, fs::path bin, int major)
    : m_cluster(std::move(cluster)), m_account(std::move(account)), m_bin(std::move(bin)), m_major(major)
{
}

Result<PostgresServer> PostgresServer::find(const fs::path& cluster, const Account& account)
{
    const Result<std::string> version = readFile(cluster / "PG_VERSION", account);
    const std::optional<int> made = version ? leadingNumber(*version) : std::nullopt;
    if (!made) {
        const std::optional<int> newest = newestInstalled();
        if (!newest)
            return Error{ErrorCode::Refused,
                         "PostgreSQL 15 or newer is not installed: install the package postgresql-15"};
        return PostgresServer(cluster, account, binOf(*newest), *newest);
    }
    const std::string name = "PostgreSQL " + std::to_string(*made);
    if (*made < kOldestMajor)
        return Error{ErrorCode::Refused, cluster.string() + " was made by " + name
                                             + ", which this program does not work with: bring it to PostgreSQL 15 "
                                               "with pg_upgrade, or name another directory with --workspace"};
    if (!isInstalled(*made))
        return Error{ErrorCode::Refused, cluster.string() + " was made by " + name
                                             + ", which is not installed: install the package postgresql-"
                                             + std::to_string(*made) + ", or name another directory with --workspace"};
    return PostgresServer(cluster, account, binOf(*made), *made);
}

Result<void> PostgresServer::run(const std::string& program, std::vector<std::string> arguments,
                                 std::chrono::seconds limit, int outputFd, int inputFd) const
{
    Result<ProgramEnd> end = runProgram({m_bin / program, std::move(arguments), m_account, outputFd, inputFd}, limit);
    if (!end)
        return end.error();
    if (end->exitCode == 0)
        return {};
    std::string last;
    std::istringstream lines(end->output);
    for (std::string line; std::getline(lines, line);)
        if (line.find("error:") != std::string::npos || line.find("FATAL:") != std::string::npos || last.empty())
            last = line;
    return Error{ErrorCode::IoFailed, program + " failed: " + last};
}

Result<void> PostgresServer::create() const
{
    const std::vector<std::string> arguments{"-D",
                                             m_cluster.string(),
                                             "-U",
                                             "postgres",
                                             "--encoding=UTF8",
                                             "--locale=C.UTF-8",
                                             "--data-checksums",
                                             "--auth-local=peer",
                                             "--auth-host=reject"};
    if (Result<void> made = run("initdb", arguments, kCreateLimit); !made)
        return made;
    return configure();
}

Result<void> PostgresServer::configure() const
{
    std::string people = "# Made by Tekil: which accounts of this machine may be which service.\n";
    for (const std::string& account : {m_account.name, std::string("root")})
        for (const char* const service : {"postgres", "tekil_owner", "tekil_engine"})
            people += "tekil " + inQuotes(account, '"') + " " + service + "\n";
    const FilesAs as(m_account);
    std::ofstream main(m_cluster / "postgresql.conf", std::ios::app);
    main << "\ninclude = 'tekil.conf'\n";
    main.close();
    if (!main)
        return Error{ErrorCode::IoFailed, "cannot write into " + m_cluster.string()};
    const std::pair<const char*, std::string_view> files[] = {
        {"tekil.conf", kSettings}, {"pg_hba.conf", kAccess}, {"pg_ident.conf", people}};
    for (const auto& [name, text] : files)
        if (Result<void> written = replaceFile(m_cluster / name, text); !written)
            return written;
    return {};
}

// The processes that work in the cluster's directory: a server, or what a killed one has left.
std::vector<int> PostgresServer::processes() const
{
    std::vector<int> out;
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator("/proc", ignored)) {
        const std::optional<int> pid = leadingNumber(entry.path().filename().string());
        if (!pid)
            continue;
        const fs::path program = fs::read_symlink(entry.path() / "exe", ignored);
        const fs::path place = fs::read_symlink(entry.path() / "cwd", ignored);
        if (program.filename().string().starts_with("postgres") && !place.empty()
            && fs::equivalent(place, m_cluster, ignored))
            out.push_back(*pid);
    }
    return out;
}

// PostgreSQL refuses to start while children of a killed server live, and where the pid in one of its two lock files is
// still somebody's: the killed server's own until init has reaped it, then perhaps another program's of the same
// account. postmaster.pid stays, for its last line is how PostgreSQL finds those children; the socket's lock lies in a
// place of our own.
Result<void> PostgresServer::clearRemains(const fs::path& socketDirectory) const
{
    if (isAlive())
        return {};
    const auto until = std::chrono::steady_clock::now() + kOrphansEndBy;
    bool told = false;
    for (std::vector<int> left = processes(); !left.empty(); left = processes()) {
        const auto now = std::chrono::steady_clock::now();
        if (now >= until)
            return Error{ErrorCode::IoFailed, "a part of the killed server does not end: end process "
                                                  + std::to_string(left.front()) + " and start again"};
        if (!told && now >= until - kOrphansEndBy / 2) {
            for (const int pid : left) // as their server would have done
                kill(pid, SIGQUIT);
            told = true;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    const fs::path file = m_cluster / "postmaster.pid";
    const Result<std::string> text = readFile(file, m_account);
    const FilesAs as(m_account);
    std::error_code ignored;
    fs::remove(socketDirectory / ".s.PGSQL.5432.lock", ignored);
    if (!text)
        return {};
    if (text->empty()) { // a power cut between its creation and its writing
        fs::remove(file, ignored);
        return {};
    }
    const std::size_t end = std::min(text->find('\n'), text->size());
    return replaceFile(file, std::string(kNobodysPid) + text->substr(end));
}

Result<void> PostgresServer::start(const fs::path& socketDirectory) const
{
    if (Result<void> cleared = clearRemains(socketDirectory); !cleared)
        return cleared;
    std::error_code unknown;
    const fs::space_info space = fs::space(m_cluster, unknown);
    if (!unknown && space.available < kSpaceToStart)
        return Error{ErrorCode::IoFailed, "the disk of " + m_cluster.parent_path().string() + " is full ("
                                              + std::to_string(space.available / 1'000'000)
                                              + " MB free): make room, at least "
                                              + std::to_string(kSpaceToStart / 1'000'000) + " MB, and start again"};
    {
        const FilesAs as(m_account);
        const std::string setting = "unix_socket_directories = "
                                    + inQuotes(inQuotes(socketDirectory.string(), '"'), '\'') + "\n";
        if (Result<void> written = replaceFile(m_cluster / "tekil-socket.conf", setting); !written)
            return written;
    }
    const fs::path log = m_cluster.parent_path() / "log" / "start.log";
    const std::vector<std::string> arguments{
        "start", "-D", m_cluster.string(), "-l", log.string(), "-w", "-t", std::to_string(kStartLimit.count()), "-s"};
    const std::uintmax_t before = logged();
    if (Result<void> started = run("pg_ctl", arguments, kStartLimit + std::chrono::seconds(10)); !started)
        return Error{ErrorCode::IoFailed,
                     "PostgreSQL does not start (" + reasonAfter(before) + "): see " + log.parent_path().string()};
    return {};
}

// How much stands in its logs: what start() adds is told from what was there before.
std::uintmax_t PostgresServer::logged() const
{
    std::uintmax_t sum = 0;
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(m_cluster.parent_path() / "log", ignored))
        sum += entry.file_size(ignored);
    return sum;
}

// Why it did not start: before it opens its own log it says so in start.log.
std::string PostgresServer::reasonAfter(std::uintmax_t before) const
{
    std::string newest = "start.log";
    const fs::path place = m_cluster.parent_path() / "log";
    std::error_code ignored;
    fs::file_time_type latest{};
    if (logged() > before)
        for (const fs::directory_entry& entry : fs::directory_iterator(place, ignored))
            if (const std::string name = entry.path().filename().string();
                !name.starts_with("tekil")
                && (latest == fs::file_time_type{} || entry.last_write_time(ignored) > latest)) {
                latest = entry.last_write_time(ignored);
                newest = name;
            }
    const Result<std::string> log = readFile(place / newest, m_account, Part::End);
    std::string last = "no reason given";
    std::istringstream lines(log ? *log : std::string());
    for (std::string line; std::getline(lines, line);)
        if (line.find("FATAL:") != std::string::npos || line.find("PANIC:") != std::string::npos)
            last = line;
    return last;
}

Result<void> PostgresServer::stop(std::chrono::seconds limit) const
{
    const std::vector<std::string> arguments{
        "stop", "-D", m_cluster.string(), "-m", "fast", "-w", "-t", std::to_string(limit.count()), "-s"};
    return run("pg_ctl", arguments, limit + std::chrono::seconds(5));
}

Result<bool> PostgresServer::wasStoppedInOrder() const
{
    Result<ProgramEnd> end = runProgram({m_bin / "pg_controldata", {"-D", m_cluster.string()}, m_account},
                                        std::chrono::seconds(30));
    if (!end)
        return end.error();
    const std::size_t at = end->output.find("Database cluster state:");
    if (end->exitCode != 0 || at == std::string::npos)
        return Error{ErrorCode::IoFailed,
                     "pg_controldata cannot read " + m_cluster.string() + ": restore the workspace from a backup"};
    const std::string line = end->output.substr(at, end->output.find('\n', at) - at);
    return line.ends_with(" shut down");
}

std::optional<PostmasterFile> PostgresServer::postmasterFile() const
{
    const Result<std::string> text = readFile(m_cluster / "postmaster.pid", m_account);
    if (!text)
        return std::nullopt;
    std::istringstream in(*text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);)
        lines.push_back(line);
    const std::optional<int> pid = lines.size() > 4 ? leadingNumber(lines[0]) : std::nullopt;
    if (!pid || lines[4].empty())
        return std::nullopt;
    return PostmasterFile{*pid, lines[4]};
}

// The server works in its cluster's directory, so a process that merely got the same number is told apart.
bool PostgresServer::isAlive() const
{
    const std::optional<PostmasterFile> file = postmasterFile();
    if (!file)
        return false;
    std::error_code ignored;
    const fs::path workingDirectory = fs::read_symlink("/proc/" + std::to_string(file->pid) + "/cwd", ignored);
    return !workingDirectory.empty() && fs::equivalent(workingDirectory, m_cluster, ignored);
}

bool PostgresServer::isReady(std::chrono::milliseconds limit) const
{
    const auto until = std::chrono::steady_clock::now() + limit;
    for (;;) {
        const std::optional<PostmasterFile> file = postmasterFile();
        const std::string where = file ? conninfo(file->socketDirectory, "postgres", "postgres") : std::string();
        if (file && PQping(where.c_str()) == PQPING_OK)
            return true;
        if (!isAlive() || std::chrono::steady_clock::now() >= until)
            return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
}

Result<void> PostgresServer::dump(const std::string& database, int fd) const
{
    const std::optional<PostmasterFile> file = postmasterFile();
    if (!file)
        return Error{ErrorCode::DatabaseUnavailable, "the server does not run"};
    return run("pg_dump", {"-Fc", "-w", "-h", file->socketDirectory.string(), "-p", "5432", "-U", "postgres", database},
               kDumpLimit, fd);
}

Result<void> PostgresServer::checkDump(int fd, std::string_view schema) const
{
    const auto rewound = [fd] { return lseek(fd, 0, SEEK_SET) == 0; };
    if (!rewound())
        return Error{ErrorCode::IoFailed, "it is no plain file"};
    Result<ProgramEnd> list = runProgram({m_bin / "pg_restore", {"--list"}, m_account, -1, fd}, kDumpLimit);
    if (!list)
        return list.error();
    if (list->exitCode != 0) {
        const std::string why = list->output.substr(0, list->output.find('\n'));
        return Error{ErrorCode::Refused, "PostgreSQL " + std::to_string(m_major) + " cannot read it (" + why + ")"};
    }
    if (list->output.find(" SCHEMA - " + std::string(schema) + " ") == std::string::npos)
        return Error{ErrorCode::Refused, "it holds another database's data"};
    if (!rewound())
        return Error{ErrorCode::IoFailed, "it is no plain file"};
    // The whole of it as a script that nobody keeps: a file that was cut short is found out.
    if (Result<void> read = run("pg_restore", {"-f", "/dev/null"}, kDumpLimit, -1, fd); !read)
        return Error{ErrorCode::Refused, "it is damaged (" + read.error().detail + ")"};
    return {};
}

Result<void> PostgresServer::load(const std::string& database, int fd) const
{
    const std::optional<PostmasterFile> file = postmasterFile();
    if (!file || lseek(fd, 0, SEEK_SET) != 0)
        return Error{ErrorCode::DatabaseUnavailable, "the server does not run"};
    return run("pg_restore",
               {"--exit-on-error", "--single-transaction", "-w", "-h", file->socketDirectory.string(), "-p", "5432",
                "-U", "postgres", "-d", database},
               kDumpLimit, -1, fd);
}

fs::path PostgresServer::lastSocketDirectory() const
{
    const Result<std::string> text = readFile(m_cluster / "tekil-socket.conf", m_account);
    const std::size_t from = text ? text->find("'\"") : std::string::npos;
    const std::size_t to = text ? text->rfind("\"'") : std::string::npos;
    if (from == std::string::npos || to == std::string::npos || to < from + 2)
        return {};
    return text->substr(from + 2, to - from - 2); // no path of ours holds a quotation mark that was doubled
}

std::string PostgresServer::conninfo(const fs::path& socketDirectory, std::string_view database, std::string_view user)
{
    std::string host;
    for (const char c : socketDirectory.string()) {
        if (c == '\'' || c == '\\')
            host += '\\';
        host += c;
    }
    if (host.find_first_of(" '\\") != std::string::npos)
        host = "'" + host + "'";
    return "host=" + host + " port=5432 dbname=" + std::string(database) + " user=" + std::string(user);
}

} // namespace tekil::db
