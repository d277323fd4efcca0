#include "tests/support/process.h"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

namespace tekil::test {

namespace {

[[noreturn]] void die(const std::string& what)
{
    std::fprintf(stderr, "test support: %s\n", what.c_str());
    std::abort();
}

std::vector<char*> pointersTo(std::vector<std::string>& texts)
{
    std::vector<char*> out;
    for (std::string& text : texts)
        out.push_back(text.data());
    out.push_back(nullptr);
    return out;
}

struct Identity {
    uid_t uid = 0;
    gid_t gid = 0;
};

std::optional<Identity> identityOf(const ProcessOptions& options)
{
    if (options.user.empty() || geteuid() != 0)
        return std::nullopt;
    const passwd* const entry = getpwnam(options.user.c_str());
    if (entry == nullptr)
        die("no account " + options.user);
    return Identity{entry->pw_uid, entry->pw_gid};
}

[[noreturn]] void runChild(const std::vector<char*>& argv, const std::vector<char*>& envp,
                           const ProcessOptions& options, const std::optional<Identity>& identity, int out)
{
    setsid();
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    if (identity && (setgroups(1, &identity->gid) != 0 || setgid(identity->gid) != 0 || setuid(identity->uid) != 0))
        _exit(127);
    if (options.endsWithTest)
        prctl(PR_SET_PDEATHSIG, SIGQUIT);
    if (!options.directory.empty() && chdir(options.directory.c_str()) != 0)
        _exit(127);
    const int empty = open("/dev/null", O_RDONLY);
    dup2(empty, 0);
    dup2(out, 1);
    if (!options.errorFile.empty()) {
        const int error = open(options.errorFile.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
        dup2(error, 2);
    }
    close_range(3, ~0U, 0);
    execvpe(argv[0], argv.data(), envp.data());
    _exit(127);
}

} // namespace

Process::Process(const std::vector<std::string>& command, const ProcessOptions& options)
{
    std::vector<std::string> arguments = command;
    std::vector<std::string> environment = options.environment;
    for (char** each = environ; *each != nullptr; ++each)
        environment.emplace_back(*each);
    const std::vector<char*> argv = pointersTo(arguments);
    const std::vector<char*> envp = pointersTo(environment);
    const std::optional<Identity> identity = identityOf(options);
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        die("no pipe");
    m_pid = fork();
    if (m_pid < 0)
        die("cannot fork");
    if (m_pid == 0)
        runChild(argv, envp, options, identity, ends[1]);
    close(ends[1]);
    m_out = ends[0];
    fcntl(m_out, F_SETFL, O_NONBLOCK);
}

Process::~Process()
{
    kill();
    close(m_out);
}

// Reads what is there; false at the end of the output or after the time-out.
bool Process::fill(std::chrono::steady_clock::time_point until)
{
    for (;;) {
        char buffer[4096];
        const ssize_t got = read(m_out, buffer, sizeof buffer);
        if (got > 0) {
            m_buffer.append(buffer, static_cast<std::size_t>(got));
            return true;
        }
        const auto left
            = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now()).count();
        if (got == 0 || (errno != EAGAIN && errno != EINTR) || left <= 0)
            return false;
        pollfd waiting{m_out, POLLIN, 0};
        poll(&waiting, 1, static_cast<int>(left));
    }
}

std::optional<std::string> Process::readLine(std::chrono::milliseconds timeout)
{
    const auto until = std::chrono::steady_clock::now() + timeout;
    for (;;) {
        if (const std::size_t end = m_buffer.find('\n'); end != std::string::npos) {
            std::string line = m_buffer.substr(0, end);
            m_buffer.erase(0, end + 1);
            return line;
        }
        if (!fill(until))
            return std::nullopt;
    }
}

std::string Process::readAll(std::chrono::milliseconds timeout)
{
    const auto until = std::chrono::steady_clock::now() + timeout;
    while (fill(until)) {}
    return std::exchange(m_buffer, {});
}

void Process::send(int signal)
{
    if (!m_end)
        ::kill(m_pid, signal);
}

void Process::kill()
{
    send(SIGKILL);
    wait();
}

void Process::pause()
{
    send(SIGSTOP);
}

void Process::goOn()
{
    send(SIGCONT);
}

std::optional<int> Process::wait(std::chrono::milliseconds timeout)
{
    const auto until = std::chrono::steady_clock::now() + timeout;
    while (!m_end) {
        int status = 0;
        if (waitpid(m_pid, &status, WNOHANG) == m_pid)
            m_end = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
        else if (std::chrono::steady_clock::now() >= until)
            return std::nullopt;
        else
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return m_end;
}

Ended runToEnd(const std::vector<std::string>& command, const ProcessOptions& options)
{
    Process process(command, options);
    std::string output = process.readAll();
    return {process.wait().value_or(-1), std::move(output)};
}

} // namespace tekil::test
