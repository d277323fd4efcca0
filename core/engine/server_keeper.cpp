#include "core/engine/server_keeper.h"

#include <pthread.h>
#include <spdlog/spdlog.h>

#include <algorithm>

namespace tekil::engine {

namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kLook = 250ms;
constexpr std::chrono::milliseconds kFirstPause = 500ms;
constexpr std::chrono::milliseconds kLongestPause = 30s;
constexpr auto kSound = 60s; // a server that ran for this long is no longer one that falls over at once

} // namespace

ServerKeeper::ServerKeeper(db::Workspace& workspace) : m_workspace(workspace), m_thread([this] { serve(); }) {}

ServerKeeper::~ServerKeeper()
{
    {
        const std::lock_guard lock(m_mutex);
        m_isOver = true;
    }
    m_ending.notify_all();
    m_thread.join();
}

bool ServerKeeper::wait(std::chrono::milliseconds time)
{
    std::unique_lock lock(m_mutex);
    return !m_ending.wait_for(lock, time, [this] { return m_isOver; });
}

void ServerKeeper::serve()
{
    pthread_setname_np(pthread_self(), "server keeper");
    std::chrono::milliseconds pause = kFirstPause;
    auto startedAt = std::chrono::steady_clock::now() - kSound;
    bool isDown = false;
    while (wait(kLook)) {
        if (m_workspace.isServerAlive()) {
            if (isDown)
                spdlog::info("PostgreSQL of {} runs again", m_workspace.directory().string());
            isDown = false;
            continue;
        }
        if (!isDown)
            spdlog::warn("PostgreSQL of {} has ended while it was in use: starting it again",
                         m_workspace.directory().string());
        isDown = true;
        if (std::chrono::steady_clock::now() - startedAt < kSound) {
            if (!wait(pause))
                return;
            pause = std::min(pause * 2, kLongestPause);
        } else {
            pause = kFirstPause;
        }
        const Result<bool> revived = m_workspace.revive();
        if (!revived)
            spdlog::error("PostgreSQL of {} could not be started, trying again: {}", m_workspace.directory().string(),
                          revived.error().detail);
        if (!revived || *revived)
            startedAt = std::chrono::steady_clock::now();
    }
}

} // namespace tekil::engine
