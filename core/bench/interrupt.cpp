#include "core/bench/interrupt.h"

#include <atomic>
#include <csignal>

namespace tekil::bench {

namespace {

std::atomic<bool> wasInterrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler writes it");

void onSignal(int)
{
    wasInterrupted = true;
}

} // namespace

void catchInterrupts()
{
    struct sigaction action = {};
    action.sa_handler = onSignal;
    sigemptyset(&action.sa_mask);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
        sigaction(signal, &action, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
}

bool interrupted()
{
    return wasInterrupted;
}

Result<void> goOn()
{
    if (interrupted())
        return Error{ErrorCode::Draining, "interrupted: nothing was measured"};
    return {};
}

} // namespace tekil::bench
