// When a provider is not called: after too many calls without a connection or an answer. Pure rules over a small state;
// the caller gives the time. It never says anything of a payment: what was sent stays as unknown as it is.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tekil::providers {

struct BreakerRules {
    std::chrono::milliseconds window{30'000};
    std::int64_t minCalls = 20; // within the window, before their share means anything
    std::int64_t percent = 50; // of unreached ones, from which it opens
    std::chrono::milliseconds openFor{5'000}; // the first time; doubled by each probe that fails
    std::chrono::milliseconds longestOpen{60'000};
    std::chrono::milliseconds probeLimit{10'000}; // a probe that is not heard of for so long lets another one go

    friend bool operator==(const BreakerRules&, const BreakerRules&) = default;
};

enum class BreakerState : std::uint8_t { Closed, Open, HalfOpen };

constexpr std::string_view nameOf(BreakerState state)
{
    switch (state) {
    case BreakerState::Closed: return "closed";
    case BreakerState::Open: return "open";
    case BreakerState::HalfOpen: return "half-open";
    }
    return "";
}

class CircuitBreaker {
public:
    using Time = std::chrono::nanoseconds; // of one clock that never steps back

    explicit CircuitBreaker(BreakerRules rules = {}) : m_rules(rules) {}
    void setRules(const BreakerRules& rules) { m_rules = rules; }

    BreakerState state(Time now) const;
    // Whether new work may be taken on: while closed, and half-open until a probe is under way.
    bool mayAccept(Time now) const;
    // Whether a call may go now. Half-open, the first one is the probe and the others wait for its end.
    bool admit(Time now);
    // How long until a call may go; zero while closed.
    Time opensIn(Time now) const;

    // What became of a call: any answer at all, or neither a connection nor an answer.
    void answered(Time now);
    void unreached(Time now);

private:
    struct Bucket {
        std::int64_t slice = -1; // which slice of time it counts
        std::int64_t calls = 0;
        std::int64_t unreached = 0;
    };
    static constexpr std::int64_t kBuckets = 10;

    Bucket& bucket(Time now);
    bool isBad(Time now) const;
    bool probing(Time now) const;
    void open(Time now, std::chrono::milliseconds openFor);

    BreakerRules m_rules;
    std::array<Bucket, kBuckets> m_buckets;
    std::optional<Time> m_openUntil; // nothing: closed
    std::optional<Time> m_probeBegan;
    std::chrono::milliseconds m_openFor{};
};

} // namespace tekil::providers
