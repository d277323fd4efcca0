// How many operations of one provider an engine takes over at a time: what it can end within half a lease, by what it
// was seen to end; from a small number on, doubled while that holds. Pure.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace tekil::recovery {

class TakeoverSize {
public:
    static constexpr std::int64_t kSmallest = 100;
    static constexpr std::int64_t kLargest = 4'000; // in memory; the next ones come as fast as these end

    // How many may be held.
    std::int64_t size() const { return m_size; }
    // How many more to take: none while most of what was taken is still at work.
    std::int64_t room(std::int64_t held) const
    {
        const std::int64_t room = m_size - held;
        return room * 4 >= m_size ? room : 0;
    }

    // What has ended since the last look, while there was something to end.
    void looked(std::int64_t ended, std::int64_t held, std::chrono::nanoseconds elapsed,
                std::chrono::milliseconds lease)
    {
        if (elapsed.count() <= 0 || (ended == 0 && held == 0))
            return;
        const std::int64_t withinHalfALease = ended * (lease / 2 / std::chrono::milliseconds(1))
                                              / std::max<std::int64_t>(elapsed / std::chrono::milliseconds(1), 1);
        m_size = std::clamp(std::min(withinHalfALease, m_size * 2), kSmallest, kLargest);
    }

private:
    std::int64_t m_size = kSmallest;
};

} // namespace tekil::recovery
