// The console's own engine: opens the local workspace and runs the engine on a thread of its own.
#pragma once

#include "core/db/workspace.h"
#include "core/engine/engine.h"
#include "core/engine/server_keeper.h"
#include "core/sandbox/demo.h"
#include "ui/shell/embedded_engine.h"

#include <QTimer>

#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

namespace tekil::console {

class ConsoleEngine : public ui::EmbeddedEngine {
public:
    ConsoleEngine(std::filesystem::path directory, bool demo);
    ~ConsoleEngine() override; // waits for what runs

    void start();

    ui::EngineStatus status() const override;
    QString directory() const override;
    bool isDemo() const override { return m_demo; }
    void retry() override;
    void drain() override;

private:
    void runOnThread(void (ConsoleEngine::*work)());
    void bringUp();  // on the thread
    void bringDown(); // on the thread
    bool openWorkspace();
    void countLeftBehind();
    bool startEngine();
    bool startDemo();
    bool isUsedByOthers() const;
    void set(const std::function<void(ui::EngineStatus&)>& change);
    void fail(const Error& error);
    void count();

    const std::filesystem::path m_directory;
    const bool m_demo;
    mutable std::mutex m_mutex; // guards the status and the engine's pointer
    ui::EngineStatus m_status;
    std::optional<db::Workspace> m_workspace;
    std::unique_ptr<engine::ServerKeeper> m_keeper; // ends before the workspace is left
    std::unique_ptr<engine::Engine> m_engine;
    std::unique_ptr<sandbox::Demo> m_demonstration;
    std::thread m_thread;
    bool m_draining = false;
    QTimer m_second;
    std::deque<std::uint64_t> m_requests; // answered so far, a sample a second
};

} // namespace tekil::console
