#include "core/base/json.h"

#include <boost/json/basic_parser_impl.hpp>

#include <algorithm>
#include <utility>

namespace tekil {

namespace {

using JsonError = boost::json::error_code;

bool hasDuplicate(const std::vector<JsonMember>& members, std::string& which)
{
    if (members.size() < 2)
        return false;
    std::vector<std::string_view> names;
    names.reserve(members.size());
    for (const JsonMember& member : members)
        names.push_back(member.name);
    std::sort(names.begin(), names.end());
    const auto twin = std::adjacent_find(names.begin(), names.end());
    if (twin == names.end())
        return false;
    which = *twin;
    return true;
}

// Builds the value from the parser's events; what the grammar allows and we do not stops it with `why`.
class Builder {
public:
    static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);

    bool on_document_begin(JsonError&) { return true; }
    bool on_document_end(JsonError&) { return true; }
    bool on_object_begin(JsonError&) { return open(JsonValue::Kind::Object); }
    bool on_array_begin(JsonError&) { return open(JsonValue::Kind::Array); }
    bool on_array_end(std::size_t, JsonError&) { return close(); }
    bool on_object_end(std::size_t, JsonError& ec)
    {
        std::string name;
        if (!hasDuplicate(m_open.back().value.members, name))
            return close();
        m_open.back().name = std::move(name);
        return refuse("is there twice", ec);
    }
    bool on_key_part(boost::json::string_view part, std::size_t, JsonError&) { return append(part); }
    bool on_key(boost::json::string_view part, std::size_t, JsonError& ec)
    {
        append(part);
        if (m_text.find('\0') != std::string::npos)
            return refuse("has a NUL character in a member's name", ec);
        m_open.back().name = std::exchange(m_text, {});
        return true;
    }
    bool on_string_part(boost::json::string_view part, std::size_t, JsonError&) { return append(part); }
    bool on_string(boost::json::string_view part, std::size_t, JsonError& ec)
    {
        append(part);
        if (m_text.find('\0') != std::string::npos)
            return refuse("has a NUL character", ec);
        return scalar(JsonValue::Kind::String);
    }
    bool on_number_part(boost::json::string_view part, JsonError&) { return append(part); }
    bool on_int64(std::int64_t, boost::json::string_view part, JsonError&) { return number(part); }
    bool on_uint64(std::uint64_t, boost::json::string_view part, JsonError&) { return number(part); }
    bool on_double(double, boost::json::string_view part, JsonError&) { return number(part); }
    bool on_bool(bool boolean, JsonError&)
    {
        JsonValue value;
        value.kind = JsonValue::Kind::Bool;
        value.boolean = boolean;
        return place(std::move(value));
    }
    bool on_null(JsonError&) { return place({}); }
    bool on_comment_part(boost::json::string_view, JsonError&) { return true; }
    bool on_comment(boost::json::string_view, JsonError&) { return true; }

    // "amount", "lines[2].price", or empty at the top.
    std::string path() const
    {
        std::string out;
        for (const Open& level : m_open) {
            if (level.value.isArray())
                out += "[" + std::to_string(level.value.items.size()) + "]";
            else if (!level.name.empty())
                out += (out.empty() ? "" : ".") + level.name;
        }
        return out;
    }
    const char* why() const { return m_why; }
    JsonValue take() { return std::move(m_root); }

private:
    struct Open {
        JsonValue value;
        std::string name; // of the member that is being read
    };

    bool append(boost::json::string_view part)
    {
        m_text.append(part.data(), part.size());
        return true;
    }
    bool number(boost::json::string_view part)
    {
        append(part);
        return scalar(JsonValue::Kind::Number);
    }
    bool scalar(JsonValue::Kind kind)
    {
        JsonValue value;
        value.kind = kind;
        value.text = std::exchange(m_text, {});
        return place(std::move(value));
    }
    bool open(JsonValue::Kind kind)
    {
        m_open.emplace_back().value.kind = kind;
        return true;
    }
    bool close()
    {
        JsonValue value = std::move(m_open.back().value);
        m_open.pop_back();
        return place(std::move(value));
    }
    bool place(JsonValue value)
    {
        if (m_open.empty())
            m_root = std::move(value);
        else if (Open& level = m_open.back(); level.value.isArray())
            level.value.items.push_back(std::move(value));
        else
            level.value.members.push_back(JsonMember{std::exchange(level.name, {}), std::move(value)});
        return true;
    }
    bool refuse(const char* why, JsonError& ec)
    {
        m_why = why;
        ec = boost::json::error::syntax;
        return false;
    }

    JsonValue m_root;
    std::vector<Open> m_open;
    std::string m_text;
    const char* m_why = nullptr;
};

const char* describe(const JsonError& ec)
{
    using boost::json::error;
    if (ec == error::incomplete)
        return "ends too early";
    if (ec == error::extra_data)
        return "is followed by something else";
    if (ec == error::too_deep)
        return "is nested more than 16 levels deep";
    if (ec == error::illegal_leading_surrogate || ec == error::illegal_trailing_surrogate
        || ec == error::expected_utf16_escape)
        return "has half of a surrogate pair";
    if (ec == error::exponent_overflow)
        return "has an exponent beyond reason";
    return "is not valid JSON in UTF-8";
}

Error invalid(const std::string& path, const char* why)
{
    return Error{ErrorCode::RequestInvalid, (path.empty() ? "the JSON text" : "member \"" + path + "\"") + " " + why};
}

void appendEscaped(std::string& out, char c)
{
    constexpr char kHex[] = "0123456789abcdef";
    switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\b': out += "\\b"; return;
    case '\f': out += "\\f"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default: break;
    }
    if (static_cast<unsigned char>(c) >= 0x20) {
        out += c;
        return;
    }
    out += "\\u00";
    out += kHex[c >> 4];
    out += kHex[c & 15];
}

void appendQuoted(std::string& out, std::string_view text)
{
    out += '"';
    for (const char c : text)
        appendEscaped(out, c);
    out += '"';
}

} // namespace

const JsonValue* JsonValue::find(std::string_view name) const
{
    for (const JsonMember& member : members)
        if (member.name == name)
            return &member.value;
    return nullptr;
}

Result<JsonValue> parseJson(std::string_view bytes)
{
    if (bytes.find_first_not_of(" \t\r\n") == std::string_view::npos)
        return invalid({}, "is empty");
    if (bytes.starts_with("\xEF\xBB\xBF"))
        return invalid({}, "begins with a byte order mark: leave it out");
    boost::json::parse_options options;
    options.max_depth = kMaxJsonDepth;
    boost::json::basic_parser<Builder> parser(options);
    JsonError ec;
    const std::size_t read = parser.write_some(false, bytes.data(), bytes.size(), ec);
    if (!ec && read < bytes.size())
        return invalid({}, describe(boost::json::error::extra_data));
    if (ec)
        return invalid(parser.handler().path(), parser.handler().why() ? parser.handler().why() : describe(ec));
    return parser.handler().take();
}

std::string quoteJson(std::string_view text)
{
    std::string out;
    out.reserve(text.size() + 2);
    appendQuoted(out, text);
    return out;
}

JsonWriter& JsonWriter::member(std::string_view name, std::string_view text)
{
    raw(name, {});
    appendQuoted(m_text, text);
    return *this;
}

JsonWriter& JsonWriter::boolean(std::string_view name, bool value)
{
    return raw(name, value ? "true" : "false");
}

JsonWriter& JsonWriter::null(std::string_view name)
{
    return raw(name, "null");
}

JsonWriter& JsonWriter::raw(std::string_view name, std::string_view json)
{
    m_text += m_text.empty() ? '{' : ',';
    appendQuoted(m_text, name);
    m_text += ':';
    m_text += json;
    return *this;
}

std::string JsonWriter::take()
{
    if (m_text.empty())
        m_text = '{';
    m_text += '}';
    return std::exchange(m_text, {});
}

} // namespace tekil
