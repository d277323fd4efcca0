// Back-pressure before the claim: whether the engine can still take a payment, judged by how long work waits in its
// lanes. A queue that is long for a moment is a burst and is taken; one that stays late is more than the engine can do.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>

namespace tekil::payments {

struct AdmissionLimits {
    std::size_t maxInFlight = 16'000; // operations between their claim and their end
    std::chrono::milliseconds target{200}; // a wait in the lanes, one after the other, that is still in order
    std::chrono::milliseconds burst{400}; // how long it may be longer
    std::chrono::milliseconds longest{800}; // the wait that a burst may come to
    // Once that was too long, waits up to the target only are taken until all but a quarter of it is worked off.
};

// After Controlled Delay (RFC 8289): what counts is the least delay over a while, not the length of a queue.
class Admission {
public:
    explicit Admission(AdmissionLimits limits) : m_limits(limits) {}

    // `delay`: how long the oldest work of each lane waits, in sum; `now`: of a clock that only goes forward. From any
    // thread. True: it is refused, and nothing was done for it.
    bool refuses(std::size_t inFlight, std::chrono::nanoseconds delay, std::chrono::nanoseconds now);
    static int retryAfterSeconds(std::chrono::nanoseconds delay);

    bool overloaded() const { return m_overloaded; }

private:
    const AdmissionLimits m_limits;
    std::atomic<std::chrono::nanoseconds::rep> m_lateSince = 0; // 0: nothing is late
    std::atomic<bool> m_overloaded = false;
};

} // namespace tekil::payments
