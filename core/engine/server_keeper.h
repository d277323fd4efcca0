// Keeps the PostgreSQL of a local workspace running while a process uses it: where it was killed or stopped by a
// stranger, one of its users starts it again. A thread of its own.
#pragma once

#include "core/db/workspace.h"

#include <condition_variable>
#include <mutex>
#include <thread>

namespace tekil::engine {

class ServerKeeper {
public:
    explicit ServerKeeper(db::Workspace& workspace); // which outlives it
    ServerKeeper(const ServerKeeper&) = delete;
    ServerKeeper& operator=(const ServerKeeper&) = delete;
    ~ServerKeeper(); // before the workspace is closed

private:
    void serve();
    bool wait(std::chrono::milliseconds time); // false: it is over

    db::Workspace& m_workspace;
    std::mutex m_mutex;
    std::condition_variable m_ending;
    bool m_isOver = false;
    std::thread m_thread; // last: it uses all of the above
};

} // namespace tekil::engine
