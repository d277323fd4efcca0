// Identifiers: UUID version 7 (RFC 9562), which sort by the time they were made.
// They are names, not secrets, and never decide the order of money.
#pragma once

#include "core/base/result.h"

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

namespace tekil {

class Uuid {
public:
    Uuid() = default; // the nil UUID
    explicit Uuid(std::array<std::uint8_t, 16> bytes) : m_bytes(bytes) {}

    // The 8-4-4-4-12 form, either case. RequestInvalid otherwise.
    static Result<Uuid> fromText(std::string_view text);

    // A new version 7 UUID; strictly increasing within the process, from any thread, also when the clock goes back.
    static Uuid next();
    // A new version 4 UUID: random throughout.
    static Uuid random();

    std::string text() const; // lower case
    const std::array<std::uint8_t, 16>& bytes() const { return m_bytes; }
    bool isNil() const { return *this == Uuid(); }

    friend auto operator<=>(const Uuid&, const Uuid&) = default;

private:
    std::array<std::uint8_t, 16> m_bytes{};
};

// One increasing sequence of version 7 UUIDs (RFC 9562, section 6.2, method 1: a counter of 42 bits below the
// millisecond, seeded at random with its top bit clear). A clock that goes back does not take the sequence back; a
// counter that is used up moves the time on by one millisecond.
class UuidGenerator {
public:
    using Clock = std::function<std::int64_t()>; // milliseconds since 1970
    explicit UuidGenerator(Clock clock);

    Uuid next();

private:
    Clock m_clock;
    std::mutex m_mutex;
    std::int64_t m_lastMs = 0;
    std::uint64_t m_counter = 0;
};

} // namespace tekil

template <>
struct std::hash<tekil::Uuid> {
    std::size_t operator()(const tekil::Uuid& id) const noexcept
    {
        // The last eight bytes: the first ones are a time and differ little.
        std::size_t value = 0;
        for (std::size_t i = 8; i < 16; ++i)
            value = value << 8 | id.bytes()[i];
        return value * 0x9E3779B97F4A7C15ULL;
    }
};
