#include "core/db/process.h"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace tekil::db {

namespace {

constexpr std::size_t kKeptOutput = 64 * 1024;
constexpr int kCannotStart = 127;

std::string errorText(int number)
{
    char buffer[128];
    return strerror_r(number, buffer, sizeof buffer);
}

template <class Look>
Result<Account> lookUp(const std::string& who, Look look)
{
    std::vector<char> buffer(16 * 1024);
    passwd entry{};
    passwd* found = nullptr;
    if (look(&entry, buffer.data(), buffer.size(), &found) != 0 || found == nullptr)
        return Error{ErrorCode::NotFound, "this system has no account " + who};
    return Account{entry.pw_uid, entry.pw_gid, entry.pw_name};
}

std::vector<gid_t> groupsOf(const Account& account)
{
    std::vector<gid_t> groups(64);
    int count = static_cast<int>(groups.size());
    while (getgrouplist(account.name.c_str(), account.gid, groups.data(), &count) < 0)
        groups.resize(static_cast<std::size_t>(count));
    groups.resize(static_cast<std::size_t>(count));
    return groups;
}

// In the child of a fork: only calls that are safe there.
bool become(const Account& account, const std::vector<gid_t>& groups)
{
    if (geteuid() != 0)
        return true;
    return setgroups(groups.size(), groups.data()) == 0 && setgid(account.gid) == 0 && setuid(account.uid) == 0;
}

struct Pipe {
    int ends[2] = {-1, -1};
    bool open() { return pipe2(ends, O_CLOEXEC) == 0; }
    void closeEnd(int which)
    {
        if (ends[which] >= 0)
            close(ends[which]);
        ends[which] = -1;
    }
    ~Pipe()
    {
        closeEnd(0);
        closeEnd(1);
    }
};

std::vector<char*> pointersTo(std::vector<std::string>& texts)
{
    std::vector<char*> out;
    for (std::string& text : texts)
        out.push_back(text.data());
    out.push_back(nullptr);
    return out;
}

// Everything a child needs is made before the fork: another thread may hold the allocator's lock at that moment.
struct Prepared {
    std::string file;
    std::vector<std::string> arguments;
    std::vector<std::string> environment{"PATH=/usr/bin:/bin", "LC_ALL=C", "TZ=UTC"};
    std::vector<gid_t> groups;
    std::vector<char*> argv;
    std::vector<char*> envp;

    explicit Prepared(const Program& program)
        : file(program.file.string()), arguments(program.arguments), groups(groupsOf(program.account))
    {
        arguments.insert(arguments.begin(), file);
        argv = pointersTo(arguments);
        envp = pointersTo(environment);
    }
};

[[noreturn]] void runChild(const Program& program, const Prepared& prepared, int out)
{
    setsid();
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    for (const int number : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGUSR1, SIGUSR2})
        signal(number, SIG_DFL);
    const int in = program.inputFd >= 0 ? program.inputFd : ::open("/dev/null", O_RDONLY);
    const int standardOut = program.outputFd >= 0 ? program.outputFd : out;
    // Above the three first, so that none of them overwrites another.
    const int highIn = fcntl(in, F_DUPFD, 3);
    const int highOut = fcntl(standardOut, F_DUPFD, 3);
    const int highError = fcntl(out, F_DUPFD, 3);
    if (!become(program.account, prepared.groups) || dup2(highIn, 0) < 0 || dup2(highOut, 1) < 0
        || dup2(highError, 2) < 0 || chdir("/") != 0)
        _exit(kCannotStart);
    prctl(PR_SET_PDEATHSIG, SIGKILL); // what it leaves half done is then taken away or done again
    umask(077);
    close_range(3, ~0U, 0);
    execve(prepared.file.c_str(), prepared.argv.data(), prepared.envp.data());
    _exit(kCannotStart);
}

// Reads what the child prints until it has ended. A grandchild may keep the pipe open: that is not waited for.
Result<int> follow(pid_t child, int in, std::chrono::steady_clock::time_point until, std::string& output)
{
    fcntl(in, F_SETFL, O_NONBLOCK);
    int status = 0;
    for (;;) {
        const bool ended = waitpid(child, &status, WNOHANG) == child;
        char buffer[4096];
        ssize_t got = 0;
        while ((got = read(in, buffer, sizeof buffer)) > 0)
            output.append(buffer, std::min(static_cast<std::size_t>(got), kKeptOutput - output.size()));
        if (ended)
            return status;
        if (std::chrono::steady_clock::now() >= until) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            return Error{ErrorCode::IoFailed, "did not end in time"};
        }
        pollfd waiting{got == 0 ? -1 : in, POLLIN, 0}; // at its end the pipe would be ready for ever
        poll(&waiting, 1, 10);
    }
}

} // namespace

Result<Account> accountOf(uid_t uid)
{
    return lookUp("with the number " + std::to_string(uid),
                  [uid](passwd* entry, char* buffer, std::size_t size, passwd** found) {
                      return getpwuid_r(uid, entry, buffer, size, found);
                  });
}

Result<Account> accountNamed(const std::string& name)
{
    return lookUp(name, [&name](passwd* entry, char* buffer, std::size_t size, passwd** found) {
        return getpwnam_r(name.c_str(), entry, buffer, size, found);
    });
}

Result<ProgramEnd> runProgram(const Program& program, std::chrono::seconds limit)
{
    const std::string name = program.file.filename().string();
    if (access(program.file.c_str(), X_OK) != 0)
        return Error{ErrorCode::IoFailed, program.file.string() + " cannot be run: " + errorText(errno)};
    const Prepared prepared(program);
    Pipe out;
    if (!out.open())
        return Error{ErrorCode::IoFailed, name + " cannot be started: " + errorText(errno)};
    const auto until = std::chrono::steady_clock::now() + limit;
    const pid_t child = fork();
    if (child < 0)
        return Error{ErrorCode::IoFailed, name + " cannot be started: " + errorText(errno)};
    if (child == 0)
        runChild(program, prepared, out.ends[1]);
    out.closeEnd(1);
    ProgramEnd end;
    Result<int> status = follow(child, out.ends[0], until, end.output);
    if (!status)
        return Error{ErrorCode::IoFailed, name + " " + status.error().detail};
    end.exitCode = WIFEXITED(*status) ? WEXITSTATUS(*status) : -1;
    return end;
}

std::optional<std::filesystem::path> firstUnreachable(const Account& account, const std::filesystem::path& directory)
{
    std::vector<std::string> way;
    std::filesystem::path place;
    for (const std::filesystem::path& part : directory) {
        place /= part;
        way.push_back(place.string());
    }
    const std::vector<gid_t> groups = groupsOf(account);
    const pid_t child = fork();
    if (child == 0) {
        if (!become(account, groups))
            _exit(1);
        for (std::size_t i = 0; i < way.size() && i < 250; ++i)
            if (access(way[i].c_str(), X_OK) != 0)
                _exit(static_cast<int>(i) + 2);
        _exit(0);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) == 1)
        return directory;
    const int code = WEXITSTATUS(status);
    return code == 0 ? std::nullopt : std::optional(std::filesystem::path(way[static_cast<std::size_t>(code - 2)]));
}

FilesAs::FilesAs(const Account& account) : m_changed(geteuid() == 0)
{
    if (!m_changed)
        return;
    setfsgid(account.gid);
    setfsuid(account.uid);
    TEKIL_CHECK(static_cast<uid_t>(setfsuid(static_cast<uid_t>(-1))) == account.uid);
}

FilesAs::~FilesAs()
{
    if (!m_changed)
        return;
    setfsuid(geteuid());
    setfsgid(getegid());
}

} // namespace tekil::db
