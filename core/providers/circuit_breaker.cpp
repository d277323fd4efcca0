#include "core/providers/circuit_breaker.h"

#include <algorithm>

namespace tekil::providers {

namespace {

using namespace std::chrono_literals;

std::int64_t sliceOf(CircuitBreaker::Time now, const BreakerRules& rules, std::int64_t buckets)
{
    const CircuitBreaker::Time slice = rules.window / buckets;
    return now / std::max<CircuitBreaker::Time>(slice, 1ms);
}

} // namespace

BreakerState CircuitBreaker::state(Time now) const
{
    if (!m_openUntil)
        return BreakerState::Closed;
    return now < *m_openUntil ? BreakerState::Open : BreakerState::HalfOpen;
}

bool CircuitBreaker::probing(Time now) const
{
    return m_probeBegan && now - *m_probeBegan < m_rules.probeLimit;
}

bool CircuitBreaker::mayAccept(Time now) const
{
    switch (state(now)) {
    case BreakerState::Closed: return true;
    case BreakerState::Open: return false;
    case BreakerState::HalfOpen: return !probing(now);
    }
    return false;
}

bool CircuitBreaker::admit(Time now)
{
    const bool may = mayAccept(now);
    if (may && m_openUntil)
        m_probeBegan = now;
    return may;
}

CircuitBreaker::Time CircuitBreaker::opensIn(Time now) const
{
    switch (state(now)) {
    case BreakerState::Closed: return 0ns;
    case BreakerState::Open: return *m_openUntil - now;
    case BreakerState::HalfOpen: return probing(now) ? m_rules.probeLimit - (now - *m_probeBegan) : 0ns;
    }
    return 0ns;
}

CircuitBreaker::Bucket& CircuitBreaker::bucket(Time now)
{
    const std::int64_t slice = sliceOf(now, m_rules, kBuckets);
    Bucket& found = m_buckets[static_cast<std::size_t>(slice % kBuckets)];
    if (found.slice != slice)
        found = {.slice = slice};
    return found;
}

bool CircuitBreaker::isBad(Time now) const
{
    const std::int64_t slice = sliceOf(now, m_rules, kBuckets);
    std::int64_t calls = 0, unreached = 0;
    for (const Bucket& each : m_buckets)
        if (each.slice > slice - kBuckets && each.slice <= slice) {
            calls += each.calls;
            unreached += each.unreached;
        }
    return calls >= m_rules.minCalls && unreached * 100 >= calls * m_rules.percent;
}

void CircuitBreaker::open(Time now, std::chrono::milliseconds openFor)
{
    m_openFor = std::min(openFor, m_rules.longestOpen);
    m_openUntil = now + m_openFor;
    m_probeBegan.reset();
}

void CircuitBreaker::answered(Time now)
{
    ++bucket(now).calls;
    // An answer to what was sent before it opened proves little; one to a probe, that calls are answered again.
    if (state(now) != BreakerState::HalfOpen)
        return;
    m_openUntil.reset();
    m_probeBegan.reset();
    m_buckets.fill({});
}

void CircuitBreaker::unreached(Time now)
{
    Bucket& present = bucket(now);
    ++present.calls;
    ++present.unreached;
    if (state(now) == BreakerState::HalfOpen && m_probeBegan)
        open(now, m_openFor * 2);
    else if (!m_openUntil && isBad(now))
        open(now, m_rules.openFor);
}

} // namespace tekil::providers
