#include "core/payments/prefer.h"

#include "core/http/message.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

namespace tekil::payments {

namespace {

using Milliseconds = std::chrono::milliseconds;

std::string_view trimmed(std::string_view text)
{
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
        text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t'))
        text.remove_suffix(1);
    return text;
}

// Takes what stands before the next separator outside quotation marks.
std::string_view takePart(std::string_view& text, char separator)
{
    bool quoted = false;
    std::size_t at = 0;
    for (; at < text.size() && (quoted || text[at] != separator); ++at) {
        if (quoted && text[at] == '\\' && at + 1 < text.size())
            ++at;
        else if (text[at] == '"')
            quoted = !quoted;
    }
    const std::string_view part = trimmed(text.substr(0, at));
    text.remove_prefix(std::min(at + 1, text.size()));
    return part;
}

// A token, or a quoted string without its marks and escapes.
std::string valueOf(std::string_view text)
{
    if (text.size() < 2 || text.front() != '"' || text.back() != '"')
        return std::string(text);
    std::string value;
    for (std::size_t i = 1; i + 1 < text.size(); ++i) {
        if (text[i] == '\\' && i + 2 < text.size())
            ++i;
        value += text[i];
    }
    return value;
}

std::optional<Milliseconds> readSeconds(const std::string& text)
{
    if (text.empty() || !std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; }))
        return std::nullopt;
    int seconds = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (error != std::errc())
        return kLongestWait; // more than can be counted
    return std::min<Milliseconds>(std::chrono::seconds(seconds), kLongestWait);
}

} // namespace

std::chrono::milliseconds readWait(const std::vector<std::string_view>& lines)
{
    std::optional<Milliseconds> wait;
    bool async = false;
    for (std::string_view line : lines)
        while (!line.empty()) {
            std::string_view preference = takePart(line, ',');
            std::string_view pair = takePart(preference, ';'); // its parameters say nothing here
            const std::string_view name = takePart(pair, '=');
            async = async || http::equalsIgnoringCase(name, "respond-async");
            if (!wait && http::equalsIgnoringCase(name, "wait"))
                wait = readSeconds(valueOf(trimmed(pair)));
        }
    return wait.value_or(async ? Milliseconds(0) : Milliseconds(kDefaultWait));
}

} // namespace tekil::payments
