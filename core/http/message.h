// What goes over HTTP, as values: requests as the client sent them, and answers.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tekil::http {

// ASCII only, whatever the locale: "IDEMPOTENCY-KEY" is "Idempotency-Key" under tr_TR too.
bool equalsIgnoringCase(std::string_view a, std::string_view b);

// Names and values in the order and spelling of the wire. Values have no white space around them.
class Headers {
public:
    using Line = std::pair<std::string, std::string>;

    Headers() = default;
    Headers(std::initializer_list<Line> lines) : m_lines(lines) {}

    void add(std::string name, std::string value) { m_lines.emplace_back(std::move(name), std::move(value)); }
    void set(std::string_view name, std::string value); // replaces every line of that name
    void reserve(std::size_t count) { m_lines.reserve(count); }

    // Every line of that name, in any case. Two lines are two values: nothing is joined.
    std::vector<std::string_view> values(std::string_view name) const;
    // The first line of that name, or nullptr.
    const std::string* find(std::string_view name) const;

    auto begin() const { return m_lines.begin(); }
    auto end() const { return m_lines.end(); }
    std::size_t size() const { return m_lines.size(); }

private:
    std::vector<Line> m_lines;
};

// The decoded query, in order; a name may come twice.
using Query = std::vector<std::pair<std::string, std::string>>;

struct Request {
    std::string method; // as sent: methods are case-sensitive
    std::string target; // as sent: "/payments?idempotencyKey=K"
    std::string path;   // decoded: "/payments"
    Query query;
    Headers headers;
    std::string body;
    std::string remote; // "127.0.0.1:51234"

    // Every value of a query name; names are compared byte for byte.
    std::vector<std::string_view> queryValues(std::string_view name) const;
};

struct Response {
    int status = 200;
    Headers headers = {}; // Content-Length, Connection and Date are the server's own
    std::string body = {};
};

Response jsonResponse(int status, std::string body);

// Splits and decodes a request target. False: a broken percent escape, a decoded NUL, or not in origin form.
bool parseTarget(std::string_view target, std::string& path, Query& query);

// Percent-encodes everything but the unreserved characters of RFC 3986: for one segment or one query value.
std::string percentEncode(std::string_view text);

} // namespace tekil::http
