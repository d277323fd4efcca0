#include "core/payments/admission.h"

#include <algorithm>

namespace tekil::payments {

namespace {

constexpr std::chrono::seconds kLongestRetry{30};

} // namespace

int Admission::retryAfterSeconds(std::chrono::nanoseconds delay)
{
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(delay);
    return static_cast<int>(std::clamp(seconds, std::chrono::seconds(1), kLongestRetry).count());
}

bool Admission::refuses(std::size_t inFlight, std::chrono::nanoseconds delay, std::chrono::nanoseconds now)
{
    if (delay <= m_limits.target / 4)
        m_overloaded = false;
    if (inFlight >= m_limits.maxInFlight)
        return true;
    if (delay <= m_limits.target) {
        m_lateSince = 0;
        return false;
    }
    std::chrono::nanoseconds::rep nothing = 0;
    m_lateSince.compare_exchange_strong(nothing, now.count());
    const auto late = now - std::chrono::nanoseconds(m_lateSince.load());
    if (!m_overloaded && late <= m_limits.burst && delay <= m_limits.longest)
        return false;
    m_overloaded = true;
    return true;
}

} // namespace tekil::payments
