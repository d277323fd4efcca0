// A program that a test runs: its lines, its end, and ways to disturb it.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace tekil::test {

struct ProcessOptions {
    std::string user = {};                      // run as this account, where the test is root
    std::vector<std::string> environment = {};  // NAME=value, besides the test's own
    std::string errorFile = "/dev/null";        // where stderr goes; "" leaves it with the test's
    bool endsWithTest = true;                   // killed (SIGQUIT) when the test dies
    std::string directory = {};                 // to work in; the test's own where empty
};

// Killed and awaited when it goes out of scope.
class Process {
public:
    // Aborts the test where the program cannot be started.
    explicit Process(const std::vector<std::string>& command, const ProcessOptions& options = {});
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;
    ~Process();

    pid_t pid() const { return m_pid; }
    // The next line of its stdout, without its end; nothing after the time-out or the last line.
    std::optional<std::string> readLine(std::chrono::milliseconds timeout = std::chrono::seconds(30));
    // Everything it prints until it closes its stdout.
    std::string readAll(std::chrono::milliseconds timeout = std::chrono::seconds(120));
    void send(int signal);
    void kill();     // SIGKILL, and waits
    void pause();    // SIGSTOP
    void goOn();     // SIGCONT
    // The exit code, -N where signal N ended it, nothing after the time-out.
    std::optional<int> wait(std::chrono::milliseconds timeout = std::chrono::seconds(60));
    bool isRunning() { return !wait(std::chrono::milliseconds(0)).has_value(); }

private:
    bool fill(std::chrono::steady_clock::time_point until);

    pid_t m_pid = -1;
    int m_out = -1;
    std::string m_buffer;
    std::optional<int> m_end;
};

struct Ended {
    int exitCode;
    std::string output; // stdout
};

// Runs a program to its end.
Ended runToEnd(const std::vector<std::string>& command, const ProcessOptions& options = {});

} // namespace tekil::test
