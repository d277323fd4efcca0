// Stands between an engine and PostgreSQL and, once armed, keeps one answer to itself and cuts the connection: the
// server has committed, and the client does not know.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace tekil::test {

class AnswerCutter {
public:
    // Forwards to the server whose socket lies in this directory.
    explicit AnswerCutter(std::string serverDirectory);
    AnswerCutter(const AnswerCutter&) = delete;
    AnswerCutter& operator=(const AnswerCutter&) = delete;
    ~AnswerCutter();

    const std::string& directory() const { return m_directory; } // a host for libpq
    // The next execution of a statement of this name loses its answer.
    void arm(const std::string& statement);
    int cuts() const { return m_cuts; }

private:
    void serve();
    void forward(int client);
    bool isArmedFor(const std::string& request);

    const std::string m_server;
    std::string m_directory;
    int m_listener = -1;
    std::atomic<bool> m_ending = false;
    std::atomic<int> m_cuts = 0;
    std::mutex m_mutex;
    std::string m_armed;
    std::vector<std::thread> m_connections;
    std::thread m_thread; // last: it uses all of the above
};

} // namespace tekil::test
