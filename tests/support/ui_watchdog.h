// Watches, from a thread of its own, how long the GUI thread takes to come back to its event loop. Time that the thread
// waited for a processor does not count: a busy machine is no fault of the window's.
#pragma once

#include <QString>

#include <atomic>
#include <chrono>
#include <thread>

namespace tekil::test {

class GuiWatchdog {
public:
    // Made on the GUI thread, whose event loop runs while it lives. A stall's stack goes to stderr.
    explicit GuiWatchdog(std::chrono::milliseconds limit = std::chrono::milliseconds(250));
    ~GuiWatchdog();
    GuiWatchdog(const GuiWatchdog&) = delete;
    GuiWatchdog& operator=(const GuiWatchdog&) = delete;

    std::chrono::milliseconds longest() const;
    bool stalled() const { return longest() > m_limit; }
    // "the window stood still for 812 ms"; for QVERIFY2.
    QByteArray report() const;

    // What a test does itself on the GUI thread, such as SQL of its own, is not the window's.
    class Pause {
    public:
        explicit Pause(GuiWatchdog& dog);
        ~Pause();
        Pause(const Pause&) = delete;
        Pause& operator=(const Pause&) = delete;

    private:
        GuiWatchdog& m_dog;
    };

private:
    void watch();

    const std::chrono::milliseconds m_limit;
    const int m_tid;
    const unsigned long m_thread;
    std::atomic<bool> m_over = false;
    std::atomic<int> m_pauses = 0;
    std::atomic<int> m_epoch = 0;
    std::atomic<std::int64_t> m_longestNs = 0;
    std::thread m_watcher;
};

} // namespace tekil::test
