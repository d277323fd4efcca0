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
enum class WorkspacePhase : std::uint8_t { WaitingForAnother, Creating, Starting, Recovering, BackingUp, Migrating };

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
    MigrationReport migration;
    std::string backupFile; // written before the migration; empty where there was nothing to save
};

struct WorkspaceStatus {
    bool running = false;
    int serverPid = 0;
    std::string socketDirectory;
    std::vector<WorkspaceUser> users;
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
    // Leaves. The last user stops the server.
    Result<void> close();

private:
    struct State;
    explicit Workspace(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

} // namespace tekil::db
