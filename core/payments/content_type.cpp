#include "core/payments/content_type.h"

#include <algorithm>
#include <string>

namespace tekil::payments {

namespace {

std::string_view trimmed(std::string_view text)
{
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
        text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t'))
        text.remove_suffix(1);
    return text;
}

std::string_view unquoted(std::string_view text)
{
    const bool quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
    return quoted ? text.substr(1, text.size() - 2) : text;
}

Error unsupported(const char* why)
{
    return Error{ErrorCode::UnsupportedMediaType, why};
}

} // namespace

Result<void> checkJsonBody(const http::Headers& headers)
{
    for (const std::string_view coding : headers.values("Content-Encoding"))
        if (!http::equalsIgnoringCase(trimmed(coding), "identity"))
            return unsupported("send the body as it is, without Content-Encoding");
    const auto lines = headers.values("Content-Type");
    if (lines.size() != 1)
        return unsupported("send the body as Content-Type: application/json, in one header line");
    std::string_view rest = lines.front();
    if (!http::equalsIgnoringCase(trimmed(rest.substr(0, rest.find(';'))), "application/json"))
        return unsupported("send the body as Content-Type: application/json");
    while (rest.find(';') != std::string_view::npos) {
        rest.remove_prefix(rest.find(';') + 1);
        const std::string_view parameter = rest.substr(0, rest.find(';'));
        const std::size_t equals = std::min(parameter.find('='), parameter.size());
        if (http::equalsIgnoringCase(trimmed(parameter.substr(0, equals)), "charset")
            && !http::equalsIgnoringCase(unquoted(trimmed(parameter.substr(std::min(equals + 1, parameter.size())))),
                                         "utf-8"))
            return unsupported("send the body in UTF-8, without another charset");
    }
    return {};
}

} // namespace tekil::payments
