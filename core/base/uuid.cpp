#include "core/base/uuid.h"

#include "core/base/clock.h"

#include <openssl/rand.h>

#include <utility>

namespace tekil {

namespace {

constexpr std::uint64_t kCounterBits = 42;
constexpr std::uint64_t kCounterLimit = std::uint64_t{1} << kCounterBits;

template <std::size_t N>
std::array<std::uint8_t, N> randomBytes()
{
    std::array<std::uint8_t, N> bytes{};
    TEKIL_CHECK(RAND_bytes(bytes.data(), static_cast<int>(N)) == 1);
    return bytes;
}

std::uint64_t randomSeed()
{
    std::uint64_t value = 0;
    for (const std::uint8_t byte : randomBytes<8>())
        value = value << 8 | byte;
    return value & (kCounterLimit / 2 - 1); // the top bit clear: room to count
}

int hexValue(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

} // namespace

Result<Uuid> Uuid::fromText(std::string_view text)
{
    const Error invalid{ErrorCode::RequestInvalid, "not a UUID"};
    if (text.size() != 36)
        return invalid;
    std::array<std::uint8_t, 16> bytes{};
    std::size_t nibble = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (dash != (text[i] == '-'))
            return invalid;
        if (dash)
            continue;
        const int value = hexValue(text[i]);
        if (value < 0)
            return invalid;
        bytes[nibble / 2] = static_cast<std::uint8_t>(bytes[nibble / 2] << 4 | value);
        ++nibble;
    }
    return Uuid(bytes);
}

Uuid Uuid::next()
{
    static UuidGenerator generator(wallClockMs);
    return generator.next();
}

Uuid Uuid::random()
{
    auto bytes = randomBytes<16>();
    bytes[6] = static_cast<std::uint8_t>((bytes[6] & 0x0F) | 0x40);
    bytes[8] = static_cast<std::uint8_t>((bytes[8] & 0x3F) | 0x80);
    return Uuid(bytes);
}

std::string Uuid::text() const
{
    static constexpr char kHex[] = "0123456789abcdef";
    std::string out;
    out.reserve(36);
    for (std::size_t i = 0; i < m_bytes.size(); ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            out += '-';
        out += kHex[m_bytes[i] >> 4];
        out += kHex[m_bytes[i] & 0x0F];
    }
    return out;
}

UuidGenerator::UuidGenerator(Clock clock) : m_clock(std::move(clock)) {}

Uuid UuidGenerator::next()
{
    const auto tail = randomBytes<4>();
    std::int64_t ms = 0;
    std::uint64_t counter = 0;
    {
        const std::lock_guard lock(m_mutex);
        const std::int64_t now = m_clock();
        if (now > m_lastMs) {
            m_lastMs = now;
            m_counter = randomSeed();
        } else if (++m_counter == kCounterLimit) {
            ++m_lastMs;
            m_counter = randomSeed();
        }
        ms = m_lastMs;
        counter = m_counter;
    }
    std::array<std::uint8_t, 16> bytes{};
    for (std::size_t i = 0; i < 6; ++i)
        bytes[i] = static_cast<std::uint8_t>(ms >> (40 - 8 * i));
    bytes[6] = static_cast<std::uint8_t>(0x70 | (counter >> 38 & 0x0F)); // 12 bits of counter: rand_a
    bytes[7] = static_cast<std::uint8_t>(counter >> 30);
    bytes[8] = static_cast<std::uint8_t>(0x80 | (counter >> 24 & 0x3F)); // 30 bits of counter: rand_b
    bytes[9] = static_cast<std::uint8_t>(counter >> 16);
    bytes[10] = static_cast<std::uint8_t>(counter >> 8);
    bytes[11] = static_cast<std::uint8_t>(counter);
    for (std::size_t i = 0; i < 4; ++i)
        bytes[12 + i] = tail[i];
    return Uuid(bytes);
}

} // namespace tekil
