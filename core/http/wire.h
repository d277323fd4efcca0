// Messages as the bytes of HTTP/1.1, for the server and the client of this folder.
#pragma once

#include "core/http/client.h"
#include "core/http/message.h"

#include <string>
#include <string_view>

namespace tekil::http {

// True: every name is a token and no value holds a control character, so that nothing can be smuggled in a header.
bool headersAreClean(const Headers& headers);

enum class Persistence { Close, KeepAlive, KeepAliveOldClient }; // the last says so in words, for HTTP/1.0
std::string responseBytes(const Response& response, Persistence persistence, bool withBody);

struct RequestFrame {
    std::string_view host;   // the value of Host
    std::string_view prefix; // before the request's path
};
std::string requestBytes(const OutRequest& request, const RequestFrame& frame);

// IMF-fixdate, as RFC 9110 wants it in Date.
std::string httpDate(std::int64_t unixSeconds);

} // namespace tekil::http
