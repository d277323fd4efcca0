// One PostgreSQL cluster in a directory of its own, worked by PostgreSQL's own programs as the account that owns it.
#pragma once

#include "core/db/process.h"

#include <functional>

namespace tekil::db {

// What postmaster.pid says. It may be left over from a crash.
struct PostmasterFile {
    int pid = 0;
    std::filesystem::path socketDirectory;
};

class PostgresServer {
public:
    // With the programs of the major version that made the cluster, or the newest one from 15 on for a new cluster.
    // Refused, with the way out, where they are not installed.
    static Result<PostgresServer> find(const std::filesystem::path& cluster, const Account& account);

    int major() const { return m_major; }
    // initdb: C.UTF-8, checksums, no TCP, peer for the services, SCRAM for people.
    Result<void> create() const;
    // Starts it and waits until it answers. Its socket goes into that directory. What a killed server left is dealt
    // with: children that have not ended yet, and a pid that belongs to another program by now.
    Result<void> start(const std::filesystem::path& socketDirectory) const;
    // Ends every connection and stops it in order.
    Result<void> stop(std::chrono::seconds limit) const;
    // Whether it was last stopped in order.
    Result<bool> wasStoppedInOrder() const;
    std::optional<PostmasterFile> postmasterFile() const;
    // Whether a process is this cluster's server, be it starting, working or stopping.
    bool isAlive() const;
    // Waits until it takes connections; false when it has ended, or does not within the limit.
    bool isReady(std::chrono::milliseconds limit) const;
    // Where its socket was put at the last start; empty where that is not known.
    std::filesystem::path lastSocketDirectory() const;
    // The database as pg_dump's custom format, into an open file.
    Result<void> dump(const std::string& database, int fd) const;
    // Whether such a file is whole, and holds the schema; read from its start, without a server.
    Result<void> checkDump(int fd, std::string_view schema) const;
    // Fills an empty database from such a file, in one transaction.
    Result<void> load(const std::string& database, int fd) const;

    static std::string conninfo(const std::filesystem::path& socketDirectory, std::string_view database,
                                std::string_view user);

private:
    PostgresServer(std::filesystem::path cluster, Account account, std::filesystem::path bin, int major);
    Result<void> run(const std::string& program, std::vector<std::string> arguments, std::chrono::seconds limit,
                     int outputFd = -1, int inputFd = -1) const;
    std::vector<int> processes() const;
    Result<void> clearRemains(const std::filesystem::path& socketDirectory) const;
    Result<void> configure() const;
    std::uintmax_t logged() const;
    std::string reasonAfter(std::uintmax_t before) const;

    std::filesystem::path m_cluster;
    Account m_account;
    std::filesystem::path m_bin;
    int m_major;
};

} // namespace tekil::db
