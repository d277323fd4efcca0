// The values bound to a statement, in PostgreSQL's text format: scalars, NULLs, and arrays for set-based statements.
// Everything lies in one buffer. A text with a NUL character makes the whole set invalid: PostgreSQL cannot hold it,
// and libpq would cut it off in silence.
#pragma once

#include "core/base/digest.h"
#include "core/base/uuid.h"

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tekil::db {

class Params {
public:
    // Integers only: bool has its own form, and a character is no number.
    template <class T>
        requires std::integral<T> && (!std::same_as<T, bool>) && (!std::same_as<T, char>)
    Params& add(T value)
    {
        return addInt64(static_cast<std::int64_t>(value));
    }
    template <std::same_as<bool> T>
    Params& add(T value)
    {
        return add(std::string_view(value ? "t" : "f"));
    }
    Params& add(std::string_view text); // text, and anything PostgreSQL reads from text: jsonb, timestamptz, interval
    Params& add(Uuid id);
    Params& add(std::span<const std::uint8_t> bytes); // bytea; a Sha256 fits
    template <class T>
    Params& add(const std::optional<T>& value)
    {
        return value ? add(*value) : addNull();
    }
    Params& addNull();

    // Arrays, of any length, 0 included. A std::vector fits.
    Params& add(std::span<const std::int64_t> values);
    Params& add(std::span<const std::int32_t> values);
    Params& add(std::span<const Uuid> values);
    Params& add(std::span<const Sha256> values); // bytea[]
    Params& add(std::span<const std::string> values);
    Params& add(std::span<const std::string_view> values);
    Params& add(std::span<const bool> values);
    Params& add(const std::vector<bool>& values);
    Params& add(std::span<const std::optional<std::int64_t>> values);
    Params& add(std::span<const std::optional<std::string>> values);
    Params& add(std::span<const std::optional<Uuid>> values);
    Params& addByteaArray(std::span<const std::string> values);

    std::size_t count() const { return m_starts.size(); }
    // The 1-based place of the first text with a NUL character, 0 if there is none.
    std::size_t firstInvalid() const { return m_firstInvalid; }
    // What libpq takes; valid until the next add.
    std::vector<const char*> pointers() const;

private:
    void begin();
    void end();
    Params& addInt64(std::int64_t value);
    template <class Values, class Write>
    Params& addArray(const Values& values, Write write);

    static constexpr std::size_t kNull = static_cast<std::size_t>(-1);
    std::string m_buffer;
    std::vector<std::size_t> m_starts; // where each value starts in m_buffer, or kNull
    std::size_t m_firstInvalid = 0;
};

} // namespace tekil::db
