#include "core/providers/provider_gate.h"

#include "core/base/clock.h"

#include <algorithm>
#include <utility>

namespace tekil::providers {

namespace {

constexpr int kSmoothing = 8; // a new time counts for an eighth

} // namespace

void ProviderGate::setRules(const BreakerRules& rules, std::size_t maxAsking)
{
    const std::lock_guard lock(m_mutex);
    m_breaker.setRules(rules);
    m_maxAsking = maxAsking;
}

BreakerState ProviderGate::state() const
{
    const std::lock_guard lock(m_mutex);
    return m_breaker.state(bootTime());
}

bool ProviderGate::mayAccept() const
{
    const std::lock_guard lock(m_mutex);
    return m_breaker.mayAccept(bootTime());
}

bool ProviderGate::admit()
{
    const std::lock_guard lock(m_mutex);
    return m_breaker.admit(bootTime());
}

std::chrono::nanoseconds ProviderGate::opensIn() const
{
    const std::lock_guard lock(m_mutex);
    return m_breaker.opensIn(bootTime());
}

void ProviderGate::ended(bool unreached, std::chrono::nanoseconds took)
{
    const std::lock_guard lock(m_mutex);
    m_usual = m_measured ? m_usual + (took - m_usual) / kSmoothing : took;
    m_measured = true;
    if (unreached)
        m_breaker.unreached(bootTime());
    else
        m_breaker.answered(bootTime());
}

void ProviderGate::unreached()
{
    const std::lock_guard lock(m_mutex);
    m_breaker.unreached(bootTime());
}

std::chrono::milliseconds ProviderGate::usual() const
{
    const std::lock_guard lock(m_mutex);
    return std::chrono::duration_cast<std::chrono::milliseconds>(m_usual);
}

void ProviderGate::ask(Start start)
{
    {
        const std::lock_guard lock(m_mutex);
        if (m_asking >= m_maxAsking) {
            m_toAsk.push_back(std::move(start));
            return;
        }
        ++m_asking;
    }
    if (!start())
        asked();
}

void ProviderGate::asked()
{
    while (true) {
        Start next;
        {
            const std::lock_guard lock(m_mutex);
            if (m_toAsk.empty()) {
                --m_asking;
                return;
            }
            next = std::move(m_toAsk.front());
            m_toAsk.pop_front();
        }
        if (next())
            return;
    }
}

} // namespace tekil::providers
