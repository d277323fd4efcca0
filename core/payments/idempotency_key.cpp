#include "core/payments/idempotency_key.h"

namespace tekil::payments {

namespace {

bool isPrintable(char c)
{
    return c >= 0x20 && c <= 0x7E;
}

Error invalid(const char* why)
{
    return Error{ErrorCode::KeyInvalid, why};
}

std::string_view trimmed(std::string_view text)
{
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
        text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t'))
        text.remove_suffix(1);
    return text;
}

// RFC 8941, section 3.3.3: a string item, without parameters.
Result<std::string> readQuoted(std::string_view text)
{
    std::string key;
    std::size_t at = 1;
    while (at < text.size() && text[at] != '"') {
        char c = text[at++];
        if (!isPrintable(c))
            return invalid("the key may hold printable ASCII characters only");
        if (c == '\\') {
            if (at == text.size() || (text[at] != '"' && text[at] != '\\'))
                return invalid("in a quoted key a backslash stands before a quotation mark or a backslash only");
            c = text[at++];
        }
        key += c;
    }
    if (at == text.size())
        return invalid("the quoted key is not terminated");
    if (at + 1 != text.size())
        return invalid("the header must hold one key, without parameters and not as a list");
    return key;
}

Result<std::string> readBare(std::string_view text)
{
    for (const char c : text) {
        if (!isPrintable(c))
            return invalid("the key may hold printable ASCII characters only");
        if (c == '"' || c == ',' || c == ';')
            return invalid("send a key that holds a comma, a semicolon or a quotation mark in the quoted form");
    }
    return std::string(text);
}

} // namespace

Result<std::string> readIdempotencyKey(const std::vector<std::string_view>& lines)
{
    if (lines.empty())
        return Error{ErrorCode::KeyMissing,
                     "send the header Idempotency-Key with a value of your own that names this operation, "
                     "and the same value with every retry of it"};
    if (lines.size() > 1)
        return invalid("send the header Idempotency-Key once");
    const std::string_view text = trimmed(lines.front());
    auto key = !text.empty() && text.front() == '"' ? readQuoted(text) : readBare(text);
    if (!key)
        return key;
    if (key->empty() || key->size() > kMaxKeyLength)
        return invalid("a key has 1 to 255 characters");
    return key;
}

} // namespace tekil::payments
