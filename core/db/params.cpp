#include "core/db/params.h"

#include <charconv>

namespace tekil::db {

namespace {

void appendInteger(std::string& out, std::int64_t value)
{
    char digits[20];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    out.append(digits, end);
}

void appendUuid(std::string& out, const Uuid& id)
{
    out += id.text();
}

void appendHex(std::string& out, std::string_view bytes)
{
    static constexpr char kDigits[] = "0123456789abcdef";
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        out += kDigits[byte >> 4];
        out += kDigits[byte & 0x0F];
    }
}

// An element between quotes, so that nothing in it is read as NULL, a separator or white space.
void appendQuoted(std::string& out, std::string_view text)
{
    out += '"';
    for (const char c : text) {
        if (c == '"' || c == '\\')
            out += '\\';
        out += c;
    }
    out += '"';
}

std::string_view viewOf(const Sha256& digest)
{
    return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

// bytea within an array: its leading backslash is escaped once more.
void appendByteaElement(std::string& out, std::string_view bytes)
{
    out += "\"\\\\x";
    appendHex(out, bytes);
    out += '"';
}

template <class Value, class Write>
auto orNull(Write write)
{
    return [write](std::string& out, const std::optional<Value>& value) {
        if (value)
            write(out, *value);
        else
            out += "NULL";
    };
}

} // namespace

void Params::begin()
{
    m_starts.push_back(m_buffer.size());
}

void Params::end()
{
    if (m_firstInvalid == 0 && m_buffer.find('\0', m_starts.back()) != std::string::npos)
        m_firstInvalid = m_starts.size();
    m_buffer += '\0';
}

template <class Values, class Write>
Params& Params::addArray(const Values& values, Write write)
{
    begin();
    m_buffer += '{';
    bool first = true;
    for (auto&& value : values) {
        if (!first)
            m_buffer += ',';
        first = false;
        write(m_buffer, value);
    }
    m_buffer += '}';
    end();
    return *this;
}

Params& Params::addInt64(std::int64_t value)
{
    begin();
    appendInteger(m_buffer, value);
    end();
    return *this;
}

Params& Params::add(std::string_view text)
{
    begin();
    m_buffer += text;
    end();
    return *this;
}

Params& Params::add(Uuid id)
{
    begin();
    appendUuid(m_buffer, id);
    end();
    return *this;
}

Params& Params::add(std::span<const std::uint8_t> bytes)
{
    begin();
    m_buffer += "\\x";
    appendHex(m_buffer, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    end();
    return *this;
}

Params& Params::addNull()
{
    m_starts.push_back(kNull);
    return *this;
}

Params& Params::add(std::span<const std::int64_t> values)
{
    return addArray(values, appendInteger);
}

Params& Params::add(std::span<const std::int32_t> values)
{
    return addArray(values, appendInteger);
}

Params& Params::add(std::span<const Uuid> values)
{
    return addArray(values, appendUuid);
}

Params& Params::add(std::span<const Sha256> values)
{
    return addArray(values, [](std::string& out, const Sha256& value) { appendByteaElement(out, viewOf(value)); });
}

Params& Params::add(std::span<const std::string> values)
{
    return addArray(values, appendQuoted);
}

Params& Params::add(std::span<const std::string_view> values)
{
    return addArray(values, appendQuoted);
}

Params& Params::add(std::span<const bool> values)
{
    return addArray(values, [](std::string& out, bool value) { out += value ? 't' : 'f'; });
}

Params& Params::add(const std::vector<bool>& values)
{
    return addArray(values, [](std::string& out, bool value) { out += value ? 't' : 'f'; });
}

Params& Params::add(std::span<const std::optional<std::int64_t>> values)
{
    return addArray(values, orNull<std::int64_t>(appendInteger));
}

Params& Params::add(std::span<const std::optional<std::string>> values)
{
    return addArray(values, orNull<std::string>(appendQuoted));
}

Params& Params::add(std::span<const std::optional<Uuid>> values)
{
    return addArray(values, orNull<Uuid>(appendUuid));
}

Params& Params::addByteaArray(std::span<const std::string> values)
{
    return addArray(values, appendByteaElement);
}

std::vector<const char*> Params::pointers() const
{
    std::vector<const char*> out;
    out.reserve(m_starts.size());
    for (const std::size_t start : m_starts)
        out.push_back(start == kNull ? nullptr : m_buffer.data() + start);
    return out;
}

} // namespace tekil::db
