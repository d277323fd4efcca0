// When a client does best to ask again (Retry-After), from the lease and the provider's usual time. Pure.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace tekil::payments {

struct Waiting {
    bool isUnknown = false;
    bool isHeld = false;                     // an engine is at work on it
    std::chrono::milliseconds age{};         // since its key was claimed
    std::chrono::milliseconds leaseLeft{};   // of a held one; of another, until it is due
    std::chrono::milliseconds usual{};       // the provider's usual time to an answer
    std::chrono::milliseconds timeout{};     // after which its silence is taken as such
    std::chrono::milliseconds breaker{};     // until the provider is called at all; zero: now
};

inline constexpr int kLongestRetryAfter = 60;

// Whole seconds, rounded up, within 1..60.
constexpr int inSeconds(std::chrono::nanoseconds time)
{
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(time).count();
    return static_cast<int>(std::clamp<std::int64_t>(seconds, 1, kLongestRetryAfter));
}

constexpr int retryAfterSeconds(const Waiting& waiting)
{
    std::chrono::milliseconds wait{};
    if (waiting.isUnknown) // asked about now, or when it is due
        wait = waiting.isHeld ? waiting.usual : waiting.leaseLeft + waiting.usual;
    else if (waiting.age < waiting.usual)
        wait = waiting.usual - waiting.age;
    else if (waiting.age < waiting.timeout) // slower than usual: at the latest its silence is known then
        wait = waiting.timeout - waiting.age;
    else // its engine waits for the provider, or is gone: then another one goes on when the lease has ended
        wait = waiting.leaseLeft + waiting.usual;
    return inSeconds(std::max(wait, waiting.breaker));
}

} // namespace tekil::payments
