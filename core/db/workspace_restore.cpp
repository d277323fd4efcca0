// Brings a backup back: it is filled, upgraded and checked in a cluster of its own beside the present one, and takes
// its place at once. Until then nothing of the present one is touched; after it the old data is a workspace of its own.
#include "core/db/workspace_state.h"
#include "sql_queries.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace tekil::db {

namespace fs = std::filesystem;

namespace {

Error refused(std::string detail)
{
    return {ErrorCode::Refused, std::move(detail)};
}

class OpenFile {
public:
    explicit OpenFile(const fs::path& file) : m_fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC)) {}
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;
    ~OpenFile()
    {
        if (m_fd >= 0)
            ::close(m_fd);
    }
    int fd() const { return m_fd; }
    bool isPlain() const
    {
        struct stat about{};
        return fstat(m_fd, &about) == 0 && S_ISREG(about.st_mode);
    }

private:
    int m_fd;
};

Result<void> checkBackup(const PostgresServer& server, const OpenFile& file, const fs::path& name)
{
    if (file.fd() < 0)
        return Error{ErrorCode::IoFailed, "cannot read " + name.string() + ": " + std::strerror(errno)};
    const Result<void> whole = file.isPlain() ? server.checkDump(file.fd(), "tekil")
                                              : Result<void>(refused("it is no plain file"));
    if (!whole)
        return Error{whole.error().code, name.string() + " is no backup that can be brought back: "
                                             + whole.error().detail + ". Nothing was changed; name another file"};
    return {};
}

// What a restore needs of the workspace that is there: nobody in it, and its server at rest.
Result<void> emptyOfUsers(FileLock& users, const fs::path& directory)
{
    if (users.tryExclusive())
        return {};
    return refused(describe(otherHolders(directory / kUsersFile)) + " uses " + directory.string()
                   + ": end that first. Nothing was changed");
}

} // namespace

Result<void> discardRestoring(const fs::path& directory, const Account& account)
{
    const fs::path place = directory / kRestoringDirectory;
    std::error_code failed;
    if (!fs::exists(place, failed))
        return {};
    Result<PostgresServer> server = PostgresServer::find(place / "data", account);
    if (server && server->isAlive())
        if (Result<void> stopped = server->stop(kStopLimit); !stopped)
            return stopped;
    const FilesAs as(account);
    fs::remove_all(place, failed);
    return failed
               ? Result<void>(Error{ErrorCode::IoFailed, "cannot remove " + place.string() + ": " + failed.message()})
               : Result<void>();
}

// A cluster of its own in DIR/restoring, with the backup in it, at this program's schema, checked and at rest.
Result<void> Workspace::State::fillFrom(int fd, const RestoreOptions& restore)
{
    tell(WorkspacePhase::Creating);
    {
        const FilesAs as(account);
        for (const fs::path& each : {directory, directory / "log", directory / "backups"})
            if (mkdir(each.c_str(), 0700) != 0)
                return Error{ErrorCode::IoFailed, "cannot create " + each.string() + ": " + std::strerror(errno)};
        if (Result<void> marked = writeMarker(directory, server->major()); !marked)
            return marked;
    }
    alone = true;
    Result<void> done = fill();
    tell(WorkspacePhase::Restoring);
    if (done)
        done = server->load("tekil", fd);
    if (done)
        done = makeCurrent();
    if (done && restore.beforeUse)
        done = restore.beforeUse(conninfo("tekil", "tekil_owner"));
    if (server->isAlive())
        if (Result<void> stopped = server->stop(kStopLimit); done && !stopped)
            done = stopped;
    std::error_code ignored;
    fs::remove(socketDirectory, ignored);
    const FilesAs as(account);
    return done ? completeMarker(directory) : done;
}

// The steps are ordered so that at each instant the present data is in DIR/data or in a directory that is never
// removed.
Result<void> Workspace::State::putInPlace(State& restored, DirectoryKind kind, RestoreReport& told)
{
    const FilesAs as(account);
    std::error_code failed;
    if (kind == DirectoryKind::Ours) {
        const fs::path aside = directory / ("before-restore-" + timestamp());
        if (Result<void> named = renameToNew(restored.directory, aside); !named)
            return named;
        if (Result<void> changed = exchange(data(), aside / "data"); !changed)
            return changed;
        told.setAside = aside.string();
        return recordSchema(directory, restored.server->major(), restored.report.migration.to);
    }
    for (const char* const each : {"data", "log", "backups"}) {
        fs::rename(restored.directory / each, directory / each, failed);
        if (failed)
            return Error{ErrorCode::IoFailed, "cannot write into " + directory.string() + ": " + failed.message()};
    }
    if (Result<void> complete = completeMarker(directory); !complete)
        return complete;
    fs::remove_all(restored.directory, failed);
    return recordSchema(directory, restored.server->major(), restored.report.migration.to);
}

Result<RestoreReport> Workspace::restore(const fs::path& directory, const fs::path& file, const RestoreOptions& options)
{
    State state;
    state.directory = fullPath(directory);
    if (Result<void> usable = checkPath(state.directory); !usable)
        return usable.error();
    Result<DirectoryKind> kind = kindOf(state.directory);
    if (!kind)
        return kind.error();
    if (*kind == DirectoryKind::Foreign)
        return foreignError(state.directory);
    if (*kind == DirectoryKind::Ours && !options.replace)
        return refused(state.directory.string()
                       + " is a workspace already: name a new directory with --workspace, or set its data aside with "
                         "--replace. Nothing was changed");
    Result<Account> account = ownerOf(state.directory, *kind);
    if (!account)
        return account.error();
    state.account = *account;
    const OpenFile backup(file);
    Result<PostgresServer> newest = PostgresServer::find(state.directory / kRestoringDirectory / "data", *account);
    if (!newest)
        return newest.error();
    if (Result<void> sound = checkBackup(*newest, backup, file); !sound)
        return sound.error();
    if (*kind == DirectoryKind::Missing || *kind == DirectoryKind::Empty)
        if (Result<void> made = makeDirectory(state.directory, *account); !made)
            return made.error();
    Result<FileLock> lock = takeLock(state.directory, *account, kWaitForOther, {});
    if (!lock)
        return lock.error();
    return restoreLocked(state, backup.fd(), options);
}

Result<RestoreReport> Workspace::restoreLocked(State& state, int fd, const RestoreOptions& options)
{
    Result<DirectoryKind> kind = kindOf(state.directory); // another process may have made it meanwhile
    if (!kind)
        return kind.error();
    if (*kind == DirectoryKind::Foreign || (*kind == DirectoryKind::Ours && !options.replace))
        return refused(state.directory.string() + " was made by another program meanwhile. Nothing was changed");
    Result<FileLock> users = openAs(state.account, state.directory / kUsersFile);
    if (!users)
        return users.error();
    if (Result<void> unused = emptyOfUsers(*users, state.directory); !unused)
        return unused.error();
    Result<PostgresServer> present = PostgresServer::find(state.data(), state.account);
    if (!present)
        return present.error();
    state.server = std::move(*present);
    if (*kind == DirectoryKind::Unfinished)
        if (Result<void> cleared = state.clear(); !cleared)
            return cleared.error();
    if (state.server->isAlive()) // its last user was killed
        if (Result<void> stopped = state.server->stop(kStopLimit); !stopped)
            return stopped.error();
    if (Result<void> discarded = discardRestoring(state.directory, state.account); !discarded)
        return discarded.error();
    if (*kind != DirectoryKind::Ours) {
        const FilesAs as(state.account);
        if (Result<void> marked = writeMarker(state.directory, state.server->major()); !marked)
            return marked.error();
    }
    State restored;
    restored.directory = state.directory / kRestoringDirectory;
    restored.account = state.account;
    restored.options = {
        .schema = options.schema, .runtimeDirectory = options.runtimeDirectory, .onPhase = options.onPhase};
    Result<PostgresServer> server = PostgresServer::find(restored.data(), state.account);
    if (!server)
        return server.error();
    restored.server = std::move(*server);
    RestoreReport told;
    Result<void> done = restored.fillFrom(fd, options);
    if (done)
        done = state.putInPlace(restored, *kind, told);
    if (done) {
        told.migration = restored.report.migration;
        return told;
    }
    if (told.setAside.empty()) // otherwise it is in place, and only its last words failed
        [[maybe_unused]]
        const Result<void> discarded = *kind == DirectoryKind::Ours ? discardRestoring(state.directory, state.account)
                                                                    : state.clear();
    return done.error();
}

} // namespace tekil::db
