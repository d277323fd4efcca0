#include "core/bench/child.h"

#include "core/bench/interrupt.h"

#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace tekil::bench {

namespace fs = std::filesystem;

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kEndTime = 12s; // the engine's own limit is ten
constexpr auto kLook = 100ms;

std::string lastLineOf(const fs::path& file)
{
    std::ifstream in(file);
    std::string last;
    for (std::string line; std::getline(in, line);)
        if (!line.empty())
            last = line;
    return last;
}

// Between fork and exec only what is safe in a process that had threads.
[[noreturn]] void become(char* const* arguments, char* const* environment, int output, int errors, pid_t parent)
{
    setsid(); // a terminal's Ctrl-C is ours: we end our children in order
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    if (getppid() != parent || dup2(output, STDOUT_FILENO) < 0 || dup2(errors, STDERR_FILENO) < 0)
        _exit(127);
    execve(arguments[0], arguments, environment);
    _exit(127);
}

std::vector<char*> pointersTo(std::vector<std::string>& texts)
{
    std::vector<char*> pointers;
    for (std::string& text : texts)
        pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

} // namespace

Result<std::unique_ptr<Child>> Child::start(const std::vector<std::string>& command,
                                            const std::vector<std::string>& environment, const fs::path& errors)
{
    std::vector<std::string> arguments = command;
    std::vector<std::string> variables = environment;
    for (char** variable = environ; *variable != nullptr; ++variable)
        variables.emplace_back(*variable);
    const auto argumentPointers = pointersTo(arguments);
    const auto variablePointers = pointersTo(variables);
    int ends[2];
    const int errorFile = ::open(errors.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (errorFile < 0 || pipe2(ends, O_CLOEXEC) != 0)
        return Error{ErrorCode::IoFailed, command.front() + " cannot be started"};
    const pid_t parent = getpid();
    const pid_t pid = fork();
    if (pid == 0)
        become(argumentPointers.data(), variablePointers.data(), ends[1], errorFile, parent);
    ::close(ends[1]);
    ::close(errorFile);
    if (pid < 0) {
        ::close(ends[0]);
        return Error{ErrorCode::IoFailed, command.front() + " cannot be started"};
    }
    return std::unique_ptr<Child>(new Child(pid, ends[0], errors));
}

Child::~Child()
{
    end();
    ::close(m_output);
}

std::optional<int> Child::waited(int options)
{
    int status = 0;
    if (!m_end && waitpid(m_pid, &status, options) == m_pid)
        m_end = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    return m_end;
}

void Child::end()
{
    if (m_end)
        return;
    ::kill(m_pid, SIGTERM);
    const auto until = Clock::now() + kEndTime;
    while (!waited(WNOHANG) && Clock::now() < until)
        std::this_thread::sleep_for(10ms);
    if (!m_end) {
        ::kill(m_pid, SIGKILL);
        waited(0);
    }
}

bool Child::fill(std::chrono::milliseconds within)
{
    pollfd ready{.fd = m_output, .events = POLLIN, .revents = 0};
    if (poll(&ready, 1, static_cast<int>(within.count())) <= 0)
        return true;
    char bytes[4096];
    const ssize_t count = ::read(m_output, bytes, sizeof bytes);
    if (count > 0)
        m_buffer.append(bytes, static_cast<std::size_t>(count));
    return count > 0;
}

Result<std::string> Child::readLine(std::chrono::milliseconds within)
{
    const auto until = Clock::now() + within;
    while (m_buffer.find('\n') == std::string::npos) {
        if (const auto on = goOn(); !on)
            return on.error();
        if (!fill(kLook))
            return Error{ErrorCode::IoFailed, "a program ended before it was ready: " + lastLineOf(m_errors)};
        if (Clock::now() > until)
            return Error{ErrorCode::IoFailed, "a program was not ready in time: " + lastLineOf(m_errors)};
    }
    const std::size_t end = m_buffer.find('\n');
    std::string line = m_buffer.substr(0, end);
    m_buffer.erase(0, end + 1);
    return line;
}

Result<int> Child::readToEnd(std::string& output, std::chrono::milliseconds within)
{
    const auto until = Clock::now() + within;
    while (fill(kLook)) {
        if (const auto on = goOn(); !on)
            return on.error();
        if (Clock::now() > until)
            return Error{ErrorCode::IoFailed, "a program did not end in time: " + lastLineOf(m_errors)};
    }
    output = std::move(m_buffer);
    waited(0);
    if (*m_end != 0)
        output += lastLineOf(m_errors);
    return *m_end;
}

Result<std::string> siblingProgram(const std::string& name)
{
    std::error_code failed;
    const fs::path own = fs::read_symlink("/proc/self/exe", failed);
    const fs::path file = own.parent_path() / name;
    if (failed || access(file.c_str(), X_OK) != 0)
        return Error{ErrorCode::NotFound,
                     name + " is not beside this program; build it: packaging/build release " + name};
    return file.string();
}

} // namespace tekil::bench
