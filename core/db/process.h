// Runs the programs of PostgreSQL, as another user where asked, away from our terminal.
#pragma once

#include "core/base/result.h"

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tekil::db {

// Whom a program runs as, and whom its files belong to.
struct Account {
    uid_t uid = 0;
    gid_t gid = 0;
    std::string name;
};

// NotFound, naming it, where the system has no such account.
Result<Account> accountOf(uid_t uid);
Result<Account> accountNamed(const std::string& name);

struct Program {
    std::filesystem::path file;
    std::vector<std::string> arguments;
    Account account;   // taken on only where this process is root
    int outputFd = -1; // where its standard output goes; -1: into the result
    int inputFd = -1;  // its standard input; -1: empty
};

struct ProgramEnd {
    int exitCode = -1;  // -1: ended by a signal
    std::string output; // what it printed, the first 64 KiB
};

// Runs it to its end, in a session of its own, with no other descriptor of ours, and an environment
// of PATH, LC_ALL=C and TZ=UTC. It dies with the calling thread; a server that it started does not. IoFailed where it
// cannot be started, or does not end in time and is killed.
Result<ProgramEnd> runProgram(const Program& program, std::chrono::seconds limit);

// The first directory on the way to, and with, the given one that the account cannot enter.
std::optional<std::filesystem::path> firstUnreachable(const Account& account, const std::filesystem::path& directory);

// While it lives, this thread's file operations are those of the account: nothing of root's is touched in its name, and
// what is created belongs to it. Does nothing where this process is not root.
class FilesAs {
public:
    explicit FilesAs(const Account& account);
    FilesAs(const FilesAs&) = delete;
    FilesAs& operator=(const FilesAs&) = delete;
    ~FilesAs();

private:
    bool m_changed;
};

} // namespace tekil::db
