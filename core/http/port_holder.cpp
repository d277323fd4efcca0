// Finds who listens on a TCP port, from /proc, so that a taken port is named with its holder.
#include "core/http/server.h"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace tekil::http {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kListening = "0A";

// /proc/net/tcp: "sl local_address rem_address st tx:rx tr:when retrnsmt uid timeout inode …"
void collectInodes(const char* table, std::uint16_t port, std::set<std::string>& inodes)
{
    std::ifstream file(table);
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) {
        std::istringstream columns(line);
        std::string slot, local, remote, state, queues, timer, retransmits, uid, timeout, inode;
        columns >> slot >> local >> remote >> state >> queues >> timer >> retransmits >> uid >> timeout >> inode;
        const std::size_t colon = local.rfind(':');
        if (state != kListening || colon == std::string::npos)
            continue;
        unsigned found = 0;
        std::from_chars(local.data() + colon + 1, local.data() + local.size(), found, 16);
        if (found == port)
            inodes.insert("socket:[" + inode + "]");
    }
}

bool holdsOne(const fs::path& process, const std::set<std::string>& inodes)
{
    std::error_code ec;
    for (fs::directory_iterator fd(process / "fd", ec), end; !ec && fd != end; fd.increment(ec)) {
        std::error_code unreadable;
        if (inodes.contains(fs::read_symlink(fd->path(), unreadable).string()))
            return true;
    }
    return false;
}

} // namespace

std::string holderOfPort(std::uint16_t port)
{
    std::set<std::string> inodes;
    collectInodes("/proc/net/tcp", port, inodes);
    collectInodes("/proc/net/tcp6", port, inodes);
    if (inodes.empty())
        return {};
    std::error_code ec;
    for (fs::directory_iterator process("/proc", ec), end; !ec && process != end; process.increment(ec)) {
        const std::string pid = process->path().filename().string();
        if (pid.find_first_not_of("0123456789") != std::string::npos || !holdsOne(process->path(), inodes))
            continue;
        std::string program;
        std::ifstream name(process->path() / "comm");
        std::getline(name, program);
        return "pid " + pid + (program.empty() ? "" : " (" + program + ")");
    }
    return {};
}

} // namespace tekil::http
