// What a Workspace holds, and the steps of opening, reviving, restoring and leaving one; for core/db/workspace*.cpp
// only.
#pragma once

#include "core/db/postgres_server.h"
#include "core/db/workspace.h"
#include "core/db/workspace_files.h"

#include <chrono>

namespace tekil::db {

// How long one waits for another process that is at work on the workspace.
inline constexpr std::chrono::seconds kWaitForOther{900}; // it may be recovering or migrating
inline constexpr std::chrono::seconds kStopLimit{60};

struct Workspace::State {
    std::filesystem::path directory;
    Account account;
    WorkspaceOptions options;
    std::optional<PostgresServer> server;
    std::filesystem::path socketDirectory;
    FileLock users;
    bool alone = false; // users is held exclusively
    bool isOpen = false;
    WorkspaceReport report;

    std::filesystem::path data() const { return directory / "data"; }
    std::string conninfo(std::string_view database, std::string_view user) const
    {
        return PostgresServer::conninfo(socketDirectory, database, user);
    }
    void tell(WorkspacePhase phase) const
    {
        if (options.onPhase)
            options.onPhase(phase);
    }
    Result<void> enter(DirectoryKind kind);
    Result<void> clear();
    Result<void> create();
    Result<void> fill();
    Result<void> ensureServer();
    Result<void> startServer();
    Result<void> runRoles();
    Result<void> makeCurrent();
    Result<void> keepSchema() const;
    Result<void> saveBefore(int version);
    Result<void> leave(std::chrono::seconds limit);
    void noteUncleanEnd(const std::string& what);
    Error othersInTheWay(int version) const;

    // Restoring: see workspace_restore.cpp.
    Result<void> fillFrom(int fd, const RestoreOptions& restore);
    Result<void> putInPlace(State& restored, DirectoryKind kind, RestoreReport& told);
};

std::filesystem::path fullPath(const std::filesystem::path& directory);
Error foreignError(const std::filesystem::path& directory);
std::string describe(const std::vector<LockHolder>& holders);
Result<FileLock> openAs(const Account& account, const std::filesystem::path& file);
// Refused, naming who is at work, where it does not come to an end within the limit.
Result<FileLock> takeLock(const std::filesystem::path& directory, const Account& account, std::chrono::seconds limit,
                          const std::function<void()>& onWait);
// Refused where PostgreSQL's programs could not be given the path.
Result<void> checkPath(const std::filesystem::path& directory);
// For a file's name: 20260305T140709Z.
std::string timestamp();
// Stops what runs in DIR/restoring and takes it away.
Result<void> discardRestoring(const std::filesystem::path& directory, const Account& account);

} // namespace tekil::db
