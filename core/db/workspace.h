// The local workspace: a private PostgreSQL cluster in a directory, made, started, shared and stopped by the programs
// that use it. Each holds it open by a Workspace; the last one to leave stops the server.
#pragma once

#include "core/base/result.h"
#include "core/db/migrator.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tekil::db {

// What open() is busy with, for a window that shows it.
enum class WorkspacePhase : std::uint8_t {
    WaitingForAnother,
    Creating,
    Starting,
    Recovering,
    BackingUp,
    Migrating,
    Restoring
};

struct WorkspaceOptions {
    Schema schema = embeddedSchema();
    // Where the socket's directory is made. Empty: XDG_RUNTIME_DIR, for root /run/tekil, else /tmp.
    std::filesystem::path runtimeDirectory = {};
    std::function<void(WorkspacePhase)> onPhase = {}; // called on the thread of open()
};

// A process that uses a workspace now.
struct WorkspaceUser {
    int pid = 0;
    std::string program;
};

// What open() found and did.
struct WorkspaceReport {
    bool created = false;
    bool started = false;    // this process started the server
    bool uncleanEnd = false; // the server, or a creation, had not ended in order; PostgreSQL recovers by itself
    std::string uncleanWhat; // in words, which of them
    MigrationReport migration;
    std::string backupFile; // written before the migration; empty where there was nothing to save
};

// An end that was not in order, as the start after it found it.
struct UncleanEnd {
    std::string foundAt; // RFC 3339
    std::string what;
};

struct WorkspaceStatus {
    bool running = false;
    bool stoppedInOrder = true; // of one that does not run; if not, its next start recovers
    int postgresMajor = 0;
    std::optional<int> schemaVersion; // as last recorded
    std::uintmax_t sizeBytes = 0;
    std::optional<UncleanEnd> lastUncleanEnd;
    int serverPid = 0;
    std::string socketDirectory;
    std::vector<WorkspaceUser> users;
};

struct RestoreOptions {
    Schema schema = embeddedSchema();
    std::filesystem::path runtimeDirectory = {}; // as WorkspaceOptions
    bool replace = false; // a workspace that is there already is set aside
    std::function<void(WorkspacePhase)> onPhase = {};
    // What must be done to the database before anybody may use it, by its owner's conninfo. Where it fails nothing has
    // changed.
    std::function<Result<void>(const std::string& ownerDsn)> beforeUse = {};
};

struct RestoreReport {
    MigrationReport migration;
    std::string setAside; // a whole workspace with what was there before; empty where nothing was
};

class Workspace {
public:
    // $XDG_DATA_HOME/tekil, ~/.local/share/tekil; for root /var/lib/tekil.
    static std::filesystem::path defaultDirectory();

    // Creates the workspace or joins it, with its server running and its schema current. Refused, with the directory
    // left as it is and one line that says the way out: a directory that is not ours, another PostgreSQL major, a newer
    // schema, an older one while others use it, a parent that the owner cannot enter or write, too long a socket path,
    // too little space.
    static Result<Workspace> open(const std::filesystem::path& directory, const WorkspaceOptions& options = {});

    static Result<WorkspaceStatus> status(const std::filesystem::path& directory);
    // Stops the server of a workspace that nobody uses. Refused, naming the first user, where somebody does.
    static Result<void> stop(const std::filesystem::path& directory);

    // Brings a backup back as a new workspace, or in place of the present one, whose data is set aside and never
    // deleted. Refused, with everything left as it is: a file that is no whole backup of ours or of a newer schema, a
    // workspace that others use, one that is there already without `replace`, and as open().
    static Result<RestoreReport> restore(const std::filesystem::path& directory, const std::filesystem::path& file,
                                         const RestoreOptions& options = {});

    Workspace(Workspace&&) noexcept;
    Workspace& operator=(Workspace&&) = delete;
    ~Workspace(); // close(), with its error dropped

    const WorkspaceReport& report() const;
    const std::filesystem::path& directory() const;
    // "host=… port=5432 dbname=tekil user=…": for tekil_owner and tekil_engine it works without a password for the
    // directory's owner and root; people give theirs.
    std::string dsn(std::string_view user) const;
    // Writes the database into a file (pg_dump's custom format), readable by the directory's owner only. The file must
    // not exist.
    Result<void> backup(const std::filesystem::path& file) const;
    // Starts the server again where it has ended under its users. True: it was this call that started it. False:
    // there is nothing to do, or another of its users is at it. From one thread at a time, ended before close().
    Result<bool> revive();
    bool isServerAlive() const;
    // Leaves. The last user stops the server.
    Result<void> close();

private:
    struct State;
    static Result<RestoreReport> restoreLocked(State& state, int fd, const RestoreOptions& options);
    explicit Workspace(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

} // namespace tekil::db
