#include "core/http/problem.h"

#include "core/base/json.h"

#include <array>

namespace tekil::http {

namespace {

using enum RetryAdvice;
using T = ProblemType;

// Why each row advises what it does. No key is burned by 400, 401, 403, 404, 408, 413, 415, 417, 429, 431 and 503, so
// what the client can put right or wait for goes on with the same key. 500 is one of these: the request may or may not
// have been taken, and only its own key can find that out. A key that is missing or malformed cannot be sent again, and
// one that belongs to another payload or was declined is spent: a new one. Where the operation exists (duplicate,
// expired) a further request, with whatever key, is what must not happen: never.
constexpr std::array kTable{
    ProblemRow{T::KeyMissing, "key-missing", 400, "The header Idempotency-Key is missing", NewKey, 0},
    ProblemRow{T::KeyInvalid, "key-invalid", 400, "The idempotency key is not valid", NewKey, 0},
    ProblemRow{T::RequestInvalid, "request-invalid", 400, "The request is not valid", SameKey, 0},
    ProblemRow{T::AmountInvalid, "amount-invalid", 400, "The amount is not valid", SameKey, 0},
    ProblemRow{T::CurrencyInvalid, "currency-invalid", 400, "The currency is not valid", SameKey, 0},
    ProblemRow{T::Unauthorized, "unauthorized", 401, "The merchant's API key is missing or wrong", SameKey, 0},
    ProblemRow{T::Forbidden, "forbidden", 403, "This merchant may not do that", Never, 0},
    ProblemRow{T::NotFound, "not-found", 404, "There is no such thing here", SameKey, 0},
    ProblemRow{T::MethodNotAllowed, "method-not-allowed", 405, "The method is not allowed here", Never, 0},
    ProblemRow{T::RequestTimeout, "request-timeout", 408, "The request came too slowly", SameKey, 0},
    ProblemRow{T::PayloadTooLarge, "payload-too-large", 413, "The body is too large", SameKey, 0},
    ProblemRow{T::UnsupportedMediaType, "unsupported-media-type", 415, "The body must be JSON", SameKey, 0},
    ProblemRow{T::ExpectationFailed, "expectation-failed", 417, "The expectation cannot be met", SameKey, 0},
    ProblemRow{T::InsufficientFunds, "insufficient-funds", 402, "The account has too little", NewKey, 0},
    ProblemRow{T::PayloadMismatch, "payload-mismatch", 422, "The key belongs to another request", NewKey, 0},
    ProblemRow{T::KeyInFlight, "key-in-flight", 409, "The first request with this key still runs", SameKey, 1},
    ProblemRow{T::DuplicateOperation, "duplicate-operation", 409, "This operation has a payment already", Never, 0},
    ProblemRow{T::KeyExpired, "key-expired", 409, "The key was used and its answer has expired", Never, 0},
    ProblemRow{T::RateLimited, "rate-limited", 429, "Too many requests", SameKey, 1},
    ProblemRow{T::HeadersTooLarge, "headers-too-large", 431, "The request line and headers are too large", SameKey, 0},
    ProblemRow{T::Internal, "internal", 500, "An error inside the server", SameKey, 1},
    ProblemRow{T::Overloaded, "overloaded", 503, "The server has too much to do", SameKey, 1},
    ProblemRow{T::DatabaseUnavailable, "database-unavailable", 503, "The database cannot be reached", SameKey, 2},
    ProblemRow{T::ProviderUnavailable, "provider-unavailable", 503, "The payment provider does not answer", SameKey, 5},
    ProblemRow{T::Draining, "draining", 503, "This server is being shut down", SameKey, 1},
};

constexpr bool tableFollowsTheEnum()
{
    for (std::size_t i = 0; i < kTable.size(); ++i)
        if (static_cast<std::size_t>(kTable[i].type) != i)
            return false;
    return kTable.size() == static_cast<std::size_t>(T::Draining) + 1;
}
static_assert(tableFollowsTheEnum());

// The draft of the header, until the product has a site of its own.
constexpr std::string_view kKeyDocumentation
    = "<https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/>; rel=\"help\"";

// What the outside is told of errors whose own words are for the log.
std::string_view publicDetail(ProblemType type, std::string_view detail)
{
    switch (type) {
    case T::Internal: return "Send the same request with the same key again; what was done already is not done twice.";
    case T::DatabaseUnavailable: return "Send the same request with the same key again after Retry-After.";
    default: return detail;
    }
}

} // namespace

std::string_view nameOf(RetryAdvice advice)
{
    switch (advice) {
    case SameKey: return "same-key";
    case NewKey: return "new-key";
    case Never: return "never";
    }
    return "";
}

std::span<const ProblemRow> problemTable()
{
    return kTable;
}

const ProblemRow& rowOf(ProblemType type)
{
    return kTable[static_cast<std::size_t>(type)];
}

ProblemType problemTypeOf(ErrorCode code)
{
    switch (code) {
    case ErrorCode::Unauthorized: return T::Unauthorized;
    case ErrorCode::Forbidden: return T::Forbidden;
    case ErrorCode::RateLimited: return T::RateLimited;
    case ErrorCode::NotFound:
    case ErrorCode::AccountUnusable: return T::NotFound;
    case ErrorCode::MethodNotAllowed: return T::MethodNotAllowed;
    case ErrorCode::HeadersTooLarge: return T::HeadersTooLarge;
    case ErrorCode::PayloadTooLarge: return T::PayloadTooLarge;
    case ErrorCode::UnsupportedMediaType: return T::UnsupportedMediaType;
    case ErrorCode::KeyMissing: return T::KeyMissing;
    case ErrorCode::KeyInvalid: return T::KeyInvalid;
    case ErrorCode::RequestInvalid: return T::RequestInvalid;
    case ErrorCode::AmountInvalid:
    case ErrorCode::AmountOverflow: return T::AmountInvalid;
    case ErrorCode::CurrencyInvalid:
    case ErrorCode::CurrencyMixed: return T::CurrencyInvalid;
    case ErrorCode::InsufficientFunds: return T::InsufficientFunds;
    case ErrorCode::PayloadMismatch: return T::PayloadMismatch;
    case ErrorCode::KeyExpired: return T::KeyExpired;
    case ErrorCode::DuplicateOperation: return T::DuplicateOperation;
    case ErrorCode::KeyInFlight:
    case ErrorCode::LeaseLost: return T::KeyInFlight; // somebody else goes on with it
    case ErrorCode::DatabaseUnavailable:
    case ErrorCode::CommitInDoubt: return T::DatabaseUnavailable;
    case ErrorCode::SerializationFailed:
    case ErrorCode::NotSent:
    case ErrorCode::Overloaded: return T::Overloaded;
    case ErrorCode::ProviderUnavailable: return T::ProviderUnavailable;
    case ErrorCode::Draining: return T::Draining;
    case ErrorCode::InvalidArgument:
    case ErrorCode::AlreadyExists:
    case ErrorCode::ConstraintViolated:
    case ErrorCode::StatementFailed:
    case ErrorCode::PermissionDenied:
    case ErrorCode::SchemaMismatch:
    case ErrorCode::NoAnswer:
    case ErrorCode::AnswerInvalid:
    case ErrorCode::Refused:
    case ErrorCode::IoFailed: return T::Internal;
    }
    return T::Internal;
}

Response problem(ProblemType type, std::string_view detail, const ProblemExtra& extra)
{
    const ProblemRow& row = rowOf(type);
    ProblemExtra all;
    all.members = extra.members;
    if (row.retryAfterSeconds > 0)
        all.headers.add("Retry-After", std::to_string(row.retryAfterSeconds));
    if (type == T::Unauthorized)
        all.headers.add("WWW-Authenticate", "Bearer");
    if (type == T::KeyMissing)
        all.headers.add("Link", std::string(kKeyDocumentation));
    for (const auto& [name, value] : extra.headers)
        all.headers.set(name, value);
    return problem(row.status, row.name, row.title, detail, row.retry, all);
}

Response problem(int status, std::string_view name, std::string_view title, std::string_view detail, RetryAdvice retry,
                 const ProblemExtra& extra)
{
    JsonWriter body;
    body.member("type", "/problems/" + std::string(name))
        .member("title", title)
        .number("status", status)
        .member("detail", detail)
        .member("retry", nameOf(retry));
    std::string text = body.take();
    if (!extra.members.empty())
        text.insert(text.size() - 1, "," + extra.members);
    Response response{status, {{"Content-Type", "application/problem+json"}}, std::move(text)};
    for (const auto& [field, value] : extra.headers)
        response.headers.add(field, value);
    return response;
}

Response problemOf(const Error& error)
{
    const ProblemType type = problemTypeOf(error.code);
    return problem(type, publicDetail(type, error.detail));
}

} // namespace tekil::http
