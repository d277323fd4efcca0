// problem+json (RFC 9457): the one table of every refusal that HTTP knows, with its status and its advice to clients.
#pragma once

#include "core/base/result.h"
#include "core/http/message.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tekil::http {

// The member `retry`: what a client does with the idempotency key of the refused request.
enum class RetryAdvice : std::uint8_t {
    SameKey, // no key was burned, or the first request still runs: send again with the same key, corrected where the
             // refusal was about the request, after Retry-After where it was about time
    NewKey,  // this key is spent on something else: what is meant as another operation needs a key of its own
    Never,   // sending again cannot help: the operation exists, or the request is not for this server
};
std::string_view nameOf(RetryAdvice advice);

enum class ProblemType : std::uint8_t {
    KeyMissing,
    KeyInvalid,
    RequestInvalid,
    AmountInvalid,
    CurrencyInvalid,
    Unauthorized,
    Forbidden,
    NotFound,
    MethodNotAllowed,
    RequestTimeout,
    PayloadTooLarge,
    UnsupportedMediaType,
    ExpectationFailed,
    InsufficientFunds,
    PayloadMismatch,
    KeyInFlight,
    DuplicateOperation,
    KeyExpired,
    RateLimited,
    HeadersTooLarge,
    Internal,
    Overloaded,
    DatabaseUnavailable,
    ProviderUnavailable,
    Draining,
};

struct ProblemRow {
    ProblemType type;
    std::string_view name; // the type's URI is "/problems/<name>"
    int status;
    std::string_view title;
    RetryAdvice retry;
    int retryAfterSeconds; // the header Retry-After; 0: none
};

std::span<const ProblemRow> problemTable();
const ProblemRow& rowOf(ProblemType type);

// The table's row that a client is told for an error.
ProblemType problemTypeOf(ErrorCode code);

// What an answer adds to its row. `members` is the inside of a JSON object: "\"member\":\"amount\"".
struct ProblemExtra {
    std::string members = {};
    Headers headers = {}; // replace those of the row
};

// `detail` says what to do. It is English, without secrets.
Response problem(ProblemType type, std::string_view detail, const ProblemExtra& extra = {});
// A problem outside the table, for programs with words of their own (the simulated bank).
Response problem(int status, std::string_view name, std::string_view title, std::string_view detail, RetryAdvice retry,
                 const ProblemExtra& extra = {});
// The error's row with its detail; errors of the server's inside (Internal) keep theirs for the log.
Response problemOf(const Error& error);

} // namespace tekil::http
