// What an engine knows of a provider's condition, shared by all that call it: its circuit breaker, how long its answers
// usually take, and how many inquiries are under way. From any thread.
#pragma once

#include "core/providers/circuit_breaker.h"

#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>

namespace tekil::providers {

class ProviderGate {
public:
    // At most maxAsking inquiries at a time, so that a crowd of them leaves connections to new charges.
    ProviderGate(const BreakerRules& rules, std::size_t maxAsking) : m_breaker(rules), m_maxAsking(maxAsking) {}
    void setRules(const BreakerRules& rules, std::size_t maxAsking);

    BreakerState state() const;
    bool mayAccept() const;
    bool admit();
    std::chrono::nanoseconds opensIn() const;

    // What became of a call, and how long it took.
    void ended(bool unreached, std::chrono::nanoseconds took);
    void unreached(); // no connection was had
    // A moving estimate of the time from the call to its end; silence counts with its time-out.
    std::chrono::milliseconds usual() const;

    // Runs `start` now, or once an inquiry before it has ended. False from it: nothing was asked after all; what was
    // asked is ended by asked().
    using Start = std::function<bool()>;
    void ask(Start start);
    void asked();

private:
    mutable std::mutex m_mutex;
    CircuitBreaker m_breaker;
    std::size_t m_maxAsking;
    std::size_t m_asking = 0;
    std::deque<Start> m_toAsk;
    std::chrono::nanoseconds m_usual = std::chrono::milliseconds(500); // until there is a first answer
    bool m_measured = false;
};

} // namespace tekil::providers
