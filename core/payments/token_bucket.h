// A merchant's rate: so many requests a second, with at most one second's worth at once.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace tekil::payments {

class TokenBucket {
public:
    // Takes one token at `now`, a clock that only goes forward. Zero: it is taken; else how long until there is one.
    std::chrono::nanoseconds take(std::int64_t perSecond, std::chrono::nanoseconds now)
    {
        const std::chrono::nanoseconds cost = std::chrono::nanoseconds(kBurst) / perSecond;
        m_credit = std::min<std::chrono::nanoseconds>(m_credit + std::max(now - m_countedAt, kNothing), kBurst);
        m_countedAt = std::max(now, m_countedAt);
        if (m_credit < cost)
            return cost - m_credit;
        m_credit -= cost;
        return kNothing;
    }

private:
    static constexpr std::chrono::seconds kBurst{1};
    static constexpr std::chrono::nanoseconds kNothing{0};

    std::chrono::nanoseconds m_credit = kBurst;
    std::chrono::nanoseconds m_countedAt{};
};

} // namespace tekil::payments
