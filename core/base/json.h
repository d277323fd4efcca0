// Exact JSON: numbers stay the text that was sent and never pass through a double; doubtful input is refused by name.
#pragma once

#include "core/base/result.h"

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tekil {

struct JsonMember;

struct JsonValue {
    enum class Kind : std::uint8_t { Null, Bool, Number, String, Array, Object };

    Kind kind = Kind::Null;
    bool boolean = false;
    std::string text;                // a number's text exactly as sent, or a string in UTF-8
    std::vector<JsonValue> items;    // of an array
    std::vector<JsonMember> members; // of an object, in the order sent

    // The member of that name, or nullptr. Names are compared byte for byte.
    const JsonValue* find(std::string_view name) const;

    bool isNull() const { return kind == Kind::Null; }
    bool isBool() const { return kind == Kind::Bool; }
    bool isNumber() const { return kind == Kind::Number; }
    bool isString() const { return kind == Kind::String; }
    bool isArray() const { return kind == Kind::Array; }
    bool isObject() const { return kind == Kind::Object; }
};

struct JsonMember {
    std::string name;
    JsonValue value;
};

inline constexpr std::size_t kMaxJsonDepth = 16;

// Reads one JSON text (RFC 8259). RequestInvalid, with the member's path in the detail where there is one, for:
// duplicate member names at any depth, NUL characters, lone surrogates, invalid UTF-8, more than kMaxJsonDepth levels,
// anything after the value, a byte order mark, an empty text, and every breach of the grammar.
Result<JsonValue> parseJson(std::string_view bytes);

// The string as a JSON string with its quotes; escapes what JSON demands and nothing else. Takes UTF-8.
std::string quoteJson(std::string_view text);

// Writes one object; members stand in the order of the calls.
//   JsonWriter().member("status", "Completed").number("count", 3).take()
class JsonWriter {
public:
    JsonWriter& member(std::string_view name, std::string_view text);
    JsonWriter& member(std::string_view name, const char* text) { return member(name, std::string_view(text)); }
    JsonWriter& boolean(std::string_view name, bool value);
    JsonWriter& null(std::string_view name);
    template <std::integral Int>
    JsonWriter& number(std::string_view name, Int value)
    {
        return raw(name, std::to_string(value));
    }
    // `json` must be one JSON value: an object written by another writer, an array, a number's exact text.
    JsonWriter& raw(std::string_view name, std::string_view json);

    std::string take(); // closes the object; the writer is empty afterwards

private:
    std::string m_text;
};

} // namespace tekil
