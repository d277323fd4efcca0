#include "core/http/wire.h"

#include "core/base/clock.h"

#include <algorithm>
#include <cstdio>
#include <ctime>

namespace tekil::http {

namespace {

bool isTokenCharacter(char c)
{
    constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
           || kMarks.find(c) != std::string_view::npos;
}

bool isControl(char c)
{
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t') || byte == 0x7F;
}

std::string_view reasonOf(int status)
{
    switch (status) {
    case 200: return "OK";
    case 201: return "Created";
    case 202: return "Accepted";
    case 204: return "No Content";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 402: return "Payment Required";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 413: return "Content Too Large";
    case 415: return "Unsupported Media Type";
    case 417: return "Expectation Failed";
    case 422: return "Unprocessable Content";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 501: return "Not Implemented";
    case 503: return "Service Unavailable";
    default: return "Status"; // a phrase is optional and means nothing
    }
}

// The server's own headers, which a handler cannot set twice.
bool isOurs(std::string_view name)
{
    return equalsIgnoringCase(name, "Content-Length") || equalsIgnoringCase(name, "Connection")
           || equalsIgnoringCase(name, "Date") || equalsIgnoringCase(name, "Transfer-Encoding");
}

bool isTheClients(std::string_view name)
{
    return equalsIgnoringCase(name, "Content-Length") || equalsIgnoringCase(name, "Connection")
           || equalsIgnoringCase(name, "Host") || equalsIgnoringCase(name, "Transfer-Encoding");
}

void appendLine(std::string& out, std::string_view name, std::string_view value)
{
    out += name;
    out += ": ";
    out += value;
    out += "\r\n";
}

const std::string& currentDate()
{
    thread_local std::int64_t second = -1;
    thread_local std::string text;
    const std::int64_t now = wallClockMs() / 1000;
    if (now != second) {
        second = now;
        text = httpDate(now);
    }
    return text;
}

std::size_t sizeOf(const Headers& headers)
{
    std::size_t size = 0;
    for (const auto& [name, value] : headers)
        size += name.size() + value.size() + 4;
    return size;
}

} // namespace

bool headersAreClean(const Headers& headers)
{
    return std::all_of(headers.begin(), headers.end(), [](const Headers::Line& line) {
        return !line.first.empty() && std::all_of(line.first.begin(), line.first.end(), isTokenCharacter)
               && std::none_of(line.second.begin(), line.second.end(), isControl);
    });
}

std::string responseBytes(const Response& response, Persistence persistence, bool withBody)
{
    const bool bodyless = response.status < 200 || response.status == 204 || response.status == 304;
    constexpr std::size_t kOwnHeaders = 160;
    std::string out;
    out.reserve(kOwnHeaders + sizeOf(response.headers) + response.body.size());
    out += "HTTP/1.1 ";
    out += std::to_string(response.status);
    out += ' ';
    out += reasonOf(response.status);
    out += "\r\n";
    appendLine(out, "Date", currentDate());
    for (const auto& [name, value] : response.headers)
        if (!isOurs(name))
            appendLine(out, name, value);
    if (!bodyless)
        appendLine(out, "Content-Length", std::to_string(response.body.size()));
    if (persistence == Persistence::Close)
        appendLine(out, "Connection", "close");
    else if (persistence == Persistence::KeepAliveOldClient)
        appendLine(out, "Connection", "keep-alive");
    out += "\r\n";
    if (withBody && !bodyless)
        out += response.body;
    return out;
}

std::string requestBytes(const OutRequest& request, const RequestFrame& frame)
{
    constexpr std::size_t kOwnHeaders = 96;
    std::string out;
    out.reserve(kOwnHeaders + frame.host.size() + frame.prefix.size() + request.path.size() + sizeOf(request.headers)
                + request.body.size());
    out += request.method;
    out += ' ';
    out += frame.prefix;
    out += request.path;
    out += " HTTP/1.1\r\n";
    appendLine(out, "Host", frame.host);
    for (const auto& [name, value] : request.headers)
        if (!isTheClients(name))
            appendLine(out, name, value);
    if (!request.body.empty() || (request.method != "GET" && request.method != "HEAD"))
        appendLine(out, "Content-Length", std::to_string(request.body.size()));
    out += "\r\n";
    out += request.body;
    return out;
}

std::string httpDate(std::int64_t unixSeconds)
{
    constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const auto time = static_cast<std::time_t>(unixSeconds);
    std::tm parts{};
    gmtime_r(&time, &parts);
    char text[64];
    std::snprintf(text, sizeof text, "%s, %02d %s %04d %02d:%02d:%02d GMT", kDays[parts.tm_wday], parts.tm_mday,
                  kMonths[parts.tm_mon], parts.tm_year + 1900, parts.tm_hour, parts.tm_min, parts.tm_sec);
    return text;
}

} // namespace tekil::http
