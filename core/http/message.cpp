#include "core/http/message.h"

#include <algorithm>

namespace tekil::http {

namespace {

char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

int hexDigit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    const char l = lower(c);
    return l >= 'a' && l <= 'f' ? l - 'a' + 10 : -1;
}

bool decode(std::string_view text, bool plusIsSpace, std::string& out)
{
    out.clear();
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '%') {
            const int high = i + 2 < text.size() ? hexDigit(text[i + 1]) : -1;
            const int low = i + 2 < text.size() ? hexDigit(text[i + 2]) : -1;
            if (high < 0 || low < 0 || (high == 0 && low == 0))
                return false;
            out += static_cast<char>(high << 4 | low);
            i += 2;
        } else {
            out += plusIsSpace && text[i] == '+' ? ' ' : text[i];
        }
    }
    return true;
}

bool parseQuery(std::string_view text, Query& query)
{
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('&'), text.size());
        const std::string_view pair = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (pair.empty())
            continue;
        const std::size_t equals = std::min(pair.find('='), pair.size());
        auto& [name, value] = query.emplace_back();
        if (!decode(pair.substr(0, equals), true, name)
            || !decode(pair.substr(std::min(equals + 1, pair.size())), true, value))
            return false;
    }
    return true;
}

} // namespace

bool equalsIgnoringCase(std::string_view a, std::string_view b)
{
    return a.size() == b.size()
           && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return lower(x) == lower(y); });
}

void Headers::set(std::string_view name, std::string value)
{
    std::erase_if(m_lines, [name](const Line& line) { return equalsIgnoringCase(line.first, name); });
    m_lines.emplace_back(name, std::move(value));
}

std::vector<std::string_view> Headers::values(std::string_view name) const
{
    std::vector<std::string_view> out;
    for (const Line& line : m_lines)
        if (equalsIgnoringCase(line.first, name))
            out.push_back(line.second);
    return out;
}

const std::string* Headers::find(std::string_view name) const
{
    for (const Line& line : m_lines)
        if (equalsIgnoringCase(line.first, name))
            return &line.second;
    return nullptr;
}

std::vector<std::string_view> Request::queryValues(std::string_view name) const
{
    std::vector<std::string_view> out;
    for (const auto& [key, value] : query)
        if (key == name)
            out.push_back(value);
    return out;
}

Response jsonResponse(int status, std::string body)
{
    return Response{status, {{"Content-Type", "application/json"}}, std::move(body)};
}

bool parseTarget(std::string_view target, std::string& path, Query& query)
{
    path.clear();
    query.clear();
    // The absolute form, which RFC 9112 (section 3.2.2) makes every server accept.
    if (const std::size_t scheme = target.find("://");
        scheme != std::string_view::npos && scheme > 0 && target.front() != '/') {
        target.remove_prefix(scheme + 3);
        target.remove_prefix(std::min(target.find_first_of("/?"), target.size()));
        if (target.empty())
            target = "/";
    }
    if (target.empty() || target.front() != '/')
        return false;
    const std::size_t mark = std::min(target.find('?'), target.size());
    return decode(target.substr(0, mark), false, path)
           && parseQuery(target.substr(std::min(mark + 1, target.size())), query);
}

std::string percentEncode(std::string_view text)
{
    constexpr char kHex[] = "0123456789ABCDEF";
    constexpr std::string_view kUnreserved = "-._~";
    std::string out;
    for (const char c : text) {
        const char l = lower(c);
        if ((l >= 'a' && l <= 'z') || (c >= '0' && c <= '9') || kUnreserved.find(c) != std::string_view::npos) {
            out += c;
            continue;
        }
        const auto byte = static_cast<unsigned char>(c);
        out += '%';
        out += kHex[byte >> 4];
        out += kHex[byte & 15];
    }
    return out;
}

} // namespace tekil::http
