// The closed list of what can go wrong, in order of precedence: where two apply, the earlier one is told.
#pragma once

#include <cstdint>
#include <string_view>

namespace tekil {

enum class ErrorCode : std::uint8_t {
    // The program's own input: options, files, configuration.
    InvalidArgument,
    // A request's way in, before any money is looked at.
    Unauthorized,
    Forbidden,
    RateLimited,
    NotFound,
    MethodNotAllowed,
    HeadersTooLarge,
    PayloadTooLarge,
    UnsupportedMediaType,
    KeyMissing,
    KeyInvalid,
    RequestInvalid,
    AmountInvalid,
    CurrencyInvalid,
    // Money.
    AmountOverflow,
    CurrencyMixed,
    InsufficientFunds,
    AccountUnusable,
    // Idempotency.
    PayloadMismatch,
    KeyExpired,
    DuplicateOperation,
    KeyInFlight,
    // The database's answers.
    AlreadyExists,
    LeaseLost,
    ConstraintViolated,
    SerializationFailed,
    StatementFailed,
    PermissionDenied,
    SchemaMismatch,
    // The world outside.
    DatabaseUnavailable,
    CommitInDoubt,
    NotSent,
    NoAnswer,
    AnswerInvalid,
    ProviderUnavailable,
    Overloaded,
    Draining,
    Refused,
    IoFailed,
};

// Whether doing the same thing again can help, and whether it is safe.
enum class Retry : std::uint8_t {
    Never,   // the answer will be the same
    Safe,    // nothing has happened: repeat at will
    InDoubt, // it may have happened: ask, never repeat
};

constexpr Retry retryOf(ErrorCode code)
{
    switch (code) {
    case ErrorCode::InvalidArgument:
    case ErrorCode::Unauthorized:
    case ErrorCode::Forbidden:
    case ErrorCode::NotFound:
    case ErrorCode::MethodNotAllowed:
    case ErrorCode::HeadersTooLarge:
    case ErrorCode::PayloadTooLarge:
    case ErrorCode::UnsupportedMediaType:
    case ErrorCode::KeyMissing:
    case ErrorCode::KeyInvalid:
    case ErrorCode::RequestInvalid:
    case ErrorCode::AmountInvalid:
    case ErrorCode::CurrencyInvalid:
    case ErrorCode::AmountOverflow:
    case ErrorCode::CurrencyMixed:
    case ErrorCode::InsufficientFunds:
    case ErrorCode::AccountUnusable:
    case ErrorCode::PayloadMismatch:
    case ErrorCode::KeyExpired:
    case ErrorCode::DuplicateOperation:
    case ErrorCode::AlreadyExists:
    case ErrorCode::LeaseLost:
    case ErrorCode::ConstraintViolated:
    case ErrorCode::StatementFailed:
    case ErrorCode::PermissionDenied:
    case ErrorCode::SchemaMismatch:
    case ErrorCode::Refused: return Retry::Never;
    case ErrorCode::RateLimited:
    case ErrorCode::KeyInFlight:
    case ErrorCode::SerializationFailed:
    case ErrorCode::DatabaseUnavailable:
    case ErrorCode::NotSent:
    case ErrorCode::ProviderUnavailable:
    case ErrorCode::Overloaded:
    case ErrorCode::Draining:
    case ErrorCode::IoFailed: return Retry::Safe;
    case ErrorCode::CommitInDoubt:
    case ErrorCode::NoAnswer:
    case ErrorCode::AnswerInvalid: return Retry::InDoubt;
    }
    return Retry::InDoubt;
}

// The code's name for logs, in kebab case ("payload-mismatch"). Sentences for people are made in the window.
std::string_view nameOf(ErrorCode code);

} // namespace tekil
