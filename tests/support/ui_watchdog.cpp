// Posts an event to the GUI thread again and again, and takes the time until it is handled.
#include "tests/support/ui_watchdog.h"

#include <QCoreApplication>
#include <QObject>

#include <csignal>
#include <cstdio>
#include <execinfo.h>
#include <fstream>
#include <memory>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tekil::test {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kBetween = 10ms;

// What this thread has waited for a processor since it began.
std::chrono::nanoseconds waitedForProcessor(int tid)
{
    std::ifstream file("/proc/self/task/" + std::to_string(tid) + "/schedstat");
    std::int64_t ran = 0, waited = 0;
    file >> ran >> waited;
    return std::chrono::nanoseconds(waited);
}

void printStack(int)
{
    void* frames[64];
    const int count = ::backtrace(frames, 64);
    ::backtrace_symbols_fd(frames, count, STDERR_FILENO);
}

} // namespace

GuiWatchdog::GuiWatchdog(std::chrono::milliseconds limit)
    : m_limit(limit), m_tid(static_cast<int>(::syscall(SYS_gettid))), m_thread(::pthread_self())
{
    void* warmUp[1];
    ::backtrace(warmUp, 1); // loads what it needs now, not inside a signal
    struct sigaction action{};
    action.sa_handler = printStack;
    action.sa_flags = SA_RESTART;
    ::sigaction(SIGUSR2, &action, nullptr);
    m_watcher = std::thread([this] { watch(); });
}

GuiWatchdog::~GuiWatchdog()
{
    m_over = true;
    m_watcher.join();
}

void GuiWatchdog::watch()
{
    while (!m_over) {
        const int epoch = m_epoch;
        if (m_pauses > 0) {
            std::this_thread::sleep_for(kBetween);
            continue;
        }
        auto handled = std::make_shared<std::atomic<bool>>(false);
        const auto waitedBefore = waitedForProcessor(m_tid);
        const auto posted = Clock::now();
        QMetaObject::invokeMethod(QCoreApplication::instance(), [handled] { *handled = true; }, Qt::QueuedConnection);
        bool shown = false;
        while (!*handled && !m_over && m_epoch == epoch) {
            std::this_thread::sleep_for(1ms);
            const auto stood = Clock::now() - posted - (waitedForProcessor(m_tid) - waitedBefore);
            if (stood <= m_limit || shown || m_epoch != epoch)
                continue;
            shown = true;
            std::fprintf(stderr, "the GUI thread does not come back; it is at:\n");
            ::pthread_kill(m_thread, SIGUSR2);
        }
        if (*handled && m_epoch == epoch) {
            const auto stood = Clock::now() - posted - (waitedForProcessor(m_tid) - waitedBefore);
            const std::int64_t ns = std::chrono::nanoseconds(stood).count();
            std::int64_t longest = m_longestNs;
            while (ns > longest && !m_longestNs.compare_exchange_weak(longest, ns)) {}
        }
        std::this_thread::sleep_for(kBetween);
    }
}

std::chrono::milliseconds GuiWatchdog::longest() const
{
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::nanoseconds(m_longestNs));
}

QByteArray GuiWatchdog::report() const
{
    return "the window stood still for " + QByteArray::number(static_cast<qlonglong>(longest().count()))
           + " ms, the limit is " + QByteArray::number(static_cast<qlonglong>(m_limit.count()));
}

GuiWatchdog::Pause::Pause(GuiWatchdog& dog) : m_dog(dog)
{
    ++m_dog.m_pauses;
    ++m_dog.m_epoch;
}

GuiWatchdog::Pause::~Pause()
{
    --m_dog.m_pauses;
    ++m_dog.m_epoch;
}

} // namespace tekil::test
