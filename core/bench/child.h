// A program that a measurement starts: away from our terminal, ended with us.
#pragma once

#include "core/base/result.h"

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tekil::bench {

class Child {
public:
    // Its stderr goes to the file. It gets SIGTERM when this process dies.
    static Result<std::unique_ptr<Child>> start(const std::vector<std::string>& command,
                                                const std::vector<std::string>& environment,
                                                const std::filesystem::path& errors);
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child(); // SIGTERM, and after ten seconds SIGKILL

    pid_t pid() const { return m_pid; }
    // The first line it prints. IoFailed with the end of what it said on stderr where it ended before.
    Result<std::string> readLine(std::chrono::milliseconds within);
    // Reads its output to the end and awaits it; its exit code, -N where a signal ended it. Draining: interrupted.
    Result<int> readToEnd(std::string& output, std::chrono::milliseconds within);
    void end();

private:
    Child(pid_t pid, int output, std::filesystem::path errors)
        : m_pid(pid), m_output(output), m_errors(std::move(errors))
    {
    }
    bool fill(std::chrono::milliseconds within); // false: the output has ended
    std::optional<int> waited(int options);

    pid_t m_pid;
    int m_output;
    std::filesystem::path m_errors;
    std::string m_buffer;
    std::optional<int> m_end;
};

// The program of that name beside this one. NotFound.
Result<std::string> siblingProgram(const std::string& name);

} // namespace tekil::bench
