#include "core/db/workspace.h"

#include "core/db/workspace_state.h"
#include "sql_queries.h"

#include <algorithm>
#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <thread>

namespace tekil::db {

namespace fs = std::filesystem;

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kWaitAtLeaving{3}; // leaving has to be done within ten seconds
constexpr seconds kStopAtLeaving{6};
constexpr milliseconds kReadyLimit{600'000};
constexpr milliseconds kSocketLimit{10'000};
constexpr int kClearAttempts = 100;

Error refused(std::string detail)
{
    return {ErrorCode::Refused, std::move(detail)};
}

} // namespace

fs::path fullPath(const fs::path& directory)
{
    std::error_code failed;
    fs::path full = fs::weakly_canonical(fs::absolute(directory, failed), failed);
    if (failed)
        full = fs::absolute(directory, failed).lexically_normal();
    return full.has_filename() ? full : full.parent_path();
}

Result<void> checkPath(const fs::path& directory)
{
    // PostgreSQL's own programs put the path into shell commands and settings.
    const std::string path = directory.string();
    if (std::any_of(path.begin(), path.end(), [](unsigned char c) { return c < 0x20 || std::strchr("\"`$\\", c); }))
        return refused("the path of a workspace may not hold double quotation marks, backslashes, `, $ or control "
                       "characters: name another directory with --workspace");
    return {};
}

Error foreignError(const fs::path& directory)
{
    return refused(directory.string()
                   + " is not empty and not a Tekil workspace: name an empty or a new directory "
                     "with --workspace");
}

std::string describe(const std::vector<LockHolder>& holders)
{
    if (holders.empty())
        return "another process";
    return holders.front().program + " (pid " + std::to_string(holders.front().pid) + ")";
}

Result<FileLock> openAs(const Account& account, const fs::path& file)
{
    const FilesAs as(account);
    return FileLock::open(file);
}

Result<FileLock> takeLock(const fs::path& directory, const Account& account, seconds limit,
                          const std::function<void()>& onWait)
{
    const fs::path file = directory / kLockFile;
    Result<FileLock> lock = openAs(account, file);
    if (!lock)
        return lock;
    const auto until = std::chrono::steady_clock::now() + limit;
    bool told = false;
    while (!lock->tryExclusive()) {
        if (!told && onWait)
            onWait();
        told = true;
        if (std::chrono::steady_clock::now() >= until)
            return refused(describe(otherHolders(file)) + " is at work on " + directory.string()
                           + " and does not come to an end: wait for it or end it");
        std::this_thread::sleep_for(milliseconds(20));
    }
    return lock;
}

namespace {

ConnectionSettings patient()
{
    ConnectionSettings settings;
    settings.applicationName = "tekil workspace";
    settings.statementTimeoutMs = 0;
    return settings;
}

} // namespace

// The first steps under the lock: whose turn it is, and the server.
Result<void> Workspace::State::enter(DirectoryKind kind)
{
    Result<FileLock> opened = openAs(account, directory / kUsersFile);
    if (!opened)
        return opened.error();
    users = std::move(*opened);
    alone = users.tryExclusive();
    if (!alone && !users.tryShared())
        return refused("cannot lock " + (directory / kUsersFile).string());
    if (kind == DirectoryKind::Ours) {
        const FilesAs as(account);
        if (Result<void> marker = checkMarker(directory); !marker)
            return marker;
    }
    Result<PostgresServer> found = PostgresServer::find(data(), account);
    if (!found)
        return found.error();
    server = std::move(*found);
    switch (kind) {
    case DirectoryKind::Ours: return ensureServer();
    case DirectoryKind::Unfinished:
        report.uncleanEnd = true; // no file tells it: until the creation is complete nothing else lies here
        report.uncleanWhat = "the workspace's creation was cut short, and is done again";
        if (Result<void> cleared = clear(); !cleared)
            return cleared;
        return create();
    default: return create();
    }
}

// Takes away what a creation left that was cut short. Its last program may still be ending.
Result<void> Workspace::State::clear()
{
    if (server->isAlive())
        if (Result<void> stopped = server->stop(kStopLimit); !stopped)
            return stopped;
    if (Result<void> discarded = discardRestoring(directory, account); !discarded)
        return discarded;
    const FilesAs as(account);
    Result<void> removed = removeUnfinished(directory);
    for (int attempt = 0; attempt < kClearAttempts && !removed; ++attempt) {
        std::this_thread::sleep_for(milliseconds(100));
        removed = removeUnfinished(directory);
    }
    return removed;
}

Result<void> Workspace::State::create()
{
    tell(WorkspacePhase::Creating);
    {
        const FilesAs as(account);
        if (Result<void> marked = writeMarker(directory, server->major()); !marked)
            return marked;
        for (const char* const name : {"log", "backups"})
            if (mkdir((directory / name).c_str(), 0700) != 0 && errno != EEXIST)
                return Error{ErrorCode::IoFailed, "cannot write into " + directory.string()};
    }
    Result<void> done = fill();
    const FilesAs as(account);
    if (done)
        done = completeMarker(directory);
    report.created = done.ok();
    return done;
}

Result<void> Workspace::State::fill()
{
    Result<fs::path> place = makeSocketDirectory(directory, account, options.runtimeDirectory);
    if (!place)
        return place.error();
    if (Result<void> made = server->create(); !made)
        return made;
    if (Result<void> started = startServer(); !started)
        return started;
    if (Result<void> roles = runRoles(); !roles)
        return roles;
    Result<Connection> connection = Connection::open(conninfo("postgres", "postgres"), patient());
    if (!connection)
        return connection.error();
    if (Result<Rows> made = connection->run(sql::db::databaseCreate); !made)
        return made.error();
    return {};
}

Result<void> Workspace::State::startServer()
{
    // Those who use it already go on looking for the socket where it was.
    const fs::path last = server->lastSocketDirectory();
    std::error_code ignored;
    if (!alone && !last.empty() && fs::is_directory(last, ignored)) {
        socketDirectory = last;
    } else {
        Result<fs::path> place = makeSocketDirectory(directory, account, options.runtimeDirectory);
        if (!place)
            return place.error();
        socketDirectory = *place;
    }
    Result<void> started = server->start(socketDirectory);
    report.started = started.ok();
    return started;
}

void Workspace::State::noteUncleanEnd(const std::string& what)
{
    report.uncleanEnd = true;
    report.uncleanWhat = what;
    const FilesAs as(account);
    recordUncleanEnd(directory, what);
}

Result<void> Workspace::State::ensureServer()
{
    if (server->isAlive()) {
        if (alone) // whoever used it last did not leave in order
            noteUncleanEnd("the last program was killed; its PostgreSQL went on");
        tell(WorkspacePhase::Starting);
        const std::optional<PostmasterFile> file = server->postmasterFile();
        std::error_code ignored;
        const bool hasSocket = file && fs::exists(file->socketDirectory / ".s.PGSQL.5432", ignored);
        if (server->isReady(hasSocket ? kReadyLimit : kSocketLimit)) {
            socketDirectory = server->postmasterFile()->socketDirectory;
            return {};
        }
        const bool isStuck = server->isAlive(); // its socket was taken away, or it does not come up
        if (isStuck && !alone)
            return refused("the server of " + directory.string() + " does not answer: end "
                           + describe(otherHolders(directory / kUsersFile)) + " and start again");
        if (Result<void> stopped = isStuck ? server->stop(kStopLimit) : Result<void>(); !stopped)
            return stopped;
    }
    Result<bool> inOrder = server->wasStoppedInOrder();
    if (!inOrder)
        return inOrder.error();
    if (!*inOrder && !report.uncleanEnd)
        noteUncleanEnd(alone ? "PostgreSQL and the programs were killed, or the power was cut"
                             : "PostgreSQL was killed under the programs that use it");
    tell(*inOrder ? WorkspacePhase::Starting : WorkspacePhase::Recovering);
    return startServer();
}

Result<void> Workspace::State::runRoles()
{
    Result<Connection> connection = Connection::open(conninfo("postgres", "postgres"), patient());
    if (!connection)
        return connection.error();
    if (Result<Rows> done = connection->exec(options.schema.bootstrapRoles); !done)
        return Error{done.error().code, "sql/bootstrap/roles.sql: " + done.error().detail, done.error().sqlState};
    return {};
}

Error Workspace::State::othersInTheWay(int version) const
{
    return refused("the workspace has to be brought to schema version " + std::to_string(version) + ", and "
                   + describe(otherHolders(directory / kUsersFile)) + " uses it: end that first");
}

Result<void> Workspace::State::makeCurrent()
{
    Result<Connection> owner = Connection::open(conninfo("tekil", "tekil_owner"), patient());
    if (!owner)
        return owner.error();
    Result<SchemaState> schema = checkSchema(*owner, options.schema);
    if (!schema)
        return schema.error();
    switch (*schema) {
    case SchemaState::Newer:
        return Error{ErrorCode::SchemaMismatch, directory.string()
                                                    + " was made by a newer Tekil (this one knows schema version "
                                                    + std::to_string(options.schema.version())
                                                    + "): start it with that one, or restore a "
                                                      "backup from "
                                                    + (directory / "backups").string()};
    case SchemaState::Current:
        report.migration.from = report.migration.to = options.schema.version();
        return keepSchema();
    case SchemaState::Empty:
    case SchemaState::Older: break;
    }
    if (!alone)
        return othersInTheWay(options.schema.version());
    if (*schema == SchemaState::Older)
        if (Result<void> saved = saveBefore(options.schema.version()); !saved)
            return saved;
    tell(WorkspacePhase::Migrating);
    if (Result<void> roles = runRoles(); !roles)
        return roles;
    Result<MigrationReport> migrated = migrate(*owner, options.schema);
    if (!migrated)
        return migrated.error();
    report.migration = std::move(*migrated);
    return keepSchema();
}

Result<void> Workspace::State::keepSchema() const
{
    const FilesAs as(account);
    std::error_code ignored;
    return fs::exists(directory / kMarkerFile, ignored) ? recordSchema(directory, server->major(), report.migration.to)
                                                        : Result<void>();
}

namespace {

// pg_dump into a new file, which appears only when it is whole.
Result<void> dumpTo(const PostgresServer& server, const fs::path& file)
{
    std::error_code ignored;
    if (fs::exists(fs::symlink_status(file, ignored)))
        return refused(file.string() + " exists already: name a new file");
    const fs::path beside = file.parent_path()
                            / ("." + file.filename().string() + "." + std::to_string(getpid()) + ".partial");
    const int fd = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return Error{ErrorCode::IoFailed, "cannot create " + file.string() + ": " + std::strerror(errno)};
    Result<void> done = server.dump("tekil", fd);
    if (done && fsync(fd) != 0)
        done = Error{ErrorCode::IoFailed, "cannot write " + file.string() + ": " + std::strerror(errno)};
    ::close(fd);
    if (done)
        done = renameToNew(beside, file);
    if (!done)
        unlink(beside.c_str());
    return done;
}

} // namespace

std::string timestamp()
{
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&now, &parts);
    char text[32];
    std::strftime(text, sizeof text, "%Y%m%dT%H%M%SZ", &parts);
    return text;
}

Result<void> Workspace::State::saveBefore(int version)
{
    tell(WorkspacePhase::BackingUp);
    const fs::path file = directory / "backups"
                          / ("before-version-" + std::to_string(version) + "-" + timestamp() + ".dump");
    const FilesAs as(account);
    if (mkdir(file.parent_path().c_str(), 0700) != 0 && errno != EEXIST)
        return Error{ErrorCode::IoFailed, "cannot create " + file.parent_path().string()};
    if (Result<void> saved = dumpTo(*server, file); !saved)
        return Error{saved.error().code, "no upgrade without a backup: " + saved.error().detail};
    report.backupFile = file.string();
    return {};
}

// Under the lock. The server of an unfinished creation is stopped, and the creation taken away.
Result<void> Workspace::State::leave(seconds limit)
{
    alone = users.tryExclusive();
    Result<void> stopped;
    if (alone && server && server->isAlive()) {
        const std::optional<PostmasterFile> file = server->postmasterFile();
        stopped = server->stop(limit);
        if (stopped && file) {
            std::error_code ignored;
            fs::remove(file->socketDirectory, ignored); // empty by now, or not ours to remove
        }
    }
    if (alone && stopped) {
        const Result<DirectoryKind> kind = kindOf(directory);
        if (server && kind && *kind == DirectoryKind::Unfinished)
            stopped = clear();
    }
    users.release();
    isOpen = false;
    return stopped;
}

fs::path Workspace::defaultDirectory()
{
    if (geteuid() == 0)
        return "/var/lib/tekil";
    if (const char* const set = std::getenv("XDG_DATA_HOME"); set != nullptr && *set == '/')
        return fs::path(set) / "tekil";
    const char* const home = std::getenv("HOME");
    return fs::path(home != nullptr && *home == '/' ? home : "/tmp") / ".local" / "share" / "tekil";
}

Result<Workspace> Workspace::open(const fs::path& directory, const WorkspaceOptions& options)
{
    auto state = std::make_unique<State>();
    state->directory = fullPath(directory);
    state->options = options;
    if (Result<void> usable = checkPath(state->directory); !usable)
        return usable.error();
    Result<DirectoryKind> kind = kindOf(state->directory);
    if (!kind)
        return kind.error();
    if (*kind == DirectoryKind::Foreign)
        return foreignError(state->directory);
    Result<Account> account = ownerOf(state->directory, *kind);
    if (!account)
        return account.error();
    state->account = *account;
    if (*kind == DirectoryKind::Missing || *kind == DirectoryKind::Empty)
        if (Result<void> made = makeDirectory(state->directory, *account); !made)
            return made.error();

    const auto onWait = [&state] { state->tell(WorkspacePhase::WaitingForAnother); };
    Result<FileLock> lock = takeLock(state->directory, *account, kWaitForOther, onWait);
    if (!lock)
        return lock.error();
    kind = kindOf(state->directory); // another process may have created it while we waited
    if (!kind)
        return kind.error();
    if (*kind == DirectoryKind::Foreign)
        return foreignError(state->directory);

    Result<void> entered = state->enter(*kind);
    if (entered)
        entered = state->makeCurrent();
    if (!entered) {
        if (Result<void> left = state->leave(kStopLimit); !left)
            spdlog::warn("workspace: {}", left.error().detail);
        return entered.error();
    }
    TEKIL_CHECK(state->users.tryShared());
    state->alone = false;
    state->isOpen = true;
    return Workspace(std::move(state));
}

namespace {

Error notThere(const fs::path& directory, DirectoryKind kind)
{
    const std::string what = kind == DirectoryKind::Missing      ? " does not exist"
                             : kind == DirectoryKind::Unfinished ? " holds a workspace whose creation was cut short"
                                                                 : " is not a Tekil workspace";
    return {ErrorCode::NotFound, directory.string() + what
                                     + ": name an existing one with --workspace; tekild run and the console make new "
                                       "ones"};
}

} // namespace

Result<WorkspaceStatus> Workspace::status(const fs::path& directory)
{
    const fs::path full = fullPath(directory);
    Result<DirectoryKind> kind = kindOf(full);
    if (!kind)
        return kind.error();
    if (*kind != DirectoryKind::Ours)
        return notThere(full, *kind);
    Result<Account> account = ownerOf(full, *kind);
    if (!account)
        return account.error();
    Result<PostgresServer> server = PostgresServer::find(full / "data", *account);
    if (!server)
        return server.error();
    WorkspaceStatus status;
    if (const auto file = server->postmasterFile(); file && server->isAlive()) {
        status.running = true;
        status.serverPid = file->pid;
        status.socketDirectory = file->socketDirectory.string();
    } else if (const Result<bool> inOrder = server->wasStoppedInOrder()) {
        status.stoppedInOrder = *inOrder;
    }
    status.postgresMajor = server->major();
    status.sizeBytes = sizeOf(full);
    {
        const FilesAs as(*account);
        status.schemaVersion = recordedSchema(full);
        status.lastUncleanEnd = lastUncleanEnd(full);
    }
    for (const LockHolder& holder : otherHolders(full / kUsersFile))
        status.users.push_back({holder.pid, holder.program});
    return status;
}

Result<void> Workspace::stop(const fs::path& directory)
{
    State state;
    state.directory = fullPath(directory);
    Result<DirectoryKind> kind = kindOf(state.directory);
    if (!kind)
        return kind.error();
    if (*kind != DirectoryKind::Ours)
        return notThere(state.directory, *kind);
    Result<Account> account = ownerOf(state.directory, *kind);
    if (!account)
        return account.error();
    state.account = *account;
    Result<FileLock> lock = takeLock(state.directory, *account, kWaitForOther, {});
    if (!lock)
        return lock.error();
    Result<FileLock> users = openAs(*account, state.directory / kUsersFile);
    if (!users)
        return users.error();
    if (!users->tryExclusive())
        return refused(describe(otherHolders(state.directory / kUsersFile)) + " uses " + state.directory.string()
                       + ": end that first, the last one stops the server");
    state.users = std::move(*users);
    Result<PostgresServer> server = PostgresServer::find(state.data(), *account);
    if (!server)
        return server.error();
    state.server = std::move(*server);
    return state.leave(kStopLimit);
}

Workspace::Workspace(std::unique_ptr<State> state) : m_state(std::move(state)) {}
Workspace::Workspace(Workspace&&) noexcept = default;

Workspace::~Workspace()
{
    if (!m_state)
        return;
    if (Result<void> left = close(); !left)
        spdlog::warn("workspace: {}", left.error().detail);
}

const WorkspaceReport& Workspace::report() const
{
    return m_state->report;
}

const fs::path& Workspace::directory() const
{
    return m_state->directory;
}

std::string Workspace::dsn(std::string_view user) const
{
    return m_state->conninfo("tekil", user);
}

Result<void> Workspace::backup(const fs::path& file) const
{
    return dumpTo(*m_state->server, file);
}

Result<bool> Workspace::revive()
{
    State& state = *m_state;
    if (!state.isOpen || state.server->isAlive())
        return false;
    Result<FileLock> lock = openAs(state.account, state.directory / kLockFile);
    if (!lock)
        return lock.error();
    if (!lock->tryExclusive() || state.server->isAlive())
        return false; // another of its users is at it, or has done it
    Result<bool> inOrder = state.server->wasStoppedInOrder();
    if (!inOrder)
        return inOrder.error();
    {
        const FilesAs as(state.account);
        recordUncleanEnd(state.directory, *inOrder ? "PostgreSQL was stopped under the programs that use it"
                                                   : "PostgreSQL was killed under the programs that use it");
    }
    std::error_code ignored;
    if (!fs::is_directory(state.socketDirectory, ignored))
        if (Result<fs::path> made = makeSocketDirectory(state.directory, state.account, state.options.runtimeDirectory);
            !made)
            return made.error();
    if (Result<void> started = state.server->start(state.socketDirectory); !started)
        return started.error();
    return true;
}

bool Workspace::isServerAlive() const
{
    return m_state->server->isAlive();
}

Result<void> Workspace::close()
{
    if (!m_state->isOpen)
        return {};
    Result<FileLock> lock = takeLock(m_state->directory, m_state->account, kWaitAtLeaving, {});
    if (!lock) {
        // Another process is at work: it stays and will stop the server when it leaves.
        m_state->users.release();
        m_state->isOpen = false;
        return {};
    }
    return m_state->leave(kStopAtLeaving);
}

} // namespace tekil::db
