#include "core/base/error_code.h"

namespace tekil {

std::string_view nameOf(ErrorCode code)
{
    switch (code) {
    case ErrorCode::InvalidArgument: return "invalid-argument";
    case ErrorCode::Unauthorized: return "unauthorized";
    case ErrorCode::Forbidden: return "forbidden";
    case ErrorCode::RateLimited: return "rate-limited";
    case ErrorCode::NotFound: return "not-found";
    case ErrorCode::MethodNotAllowed: return "method-not-allowed";
    case ErrorCode::HeadersTooLarge: return "headers-too-large";
    case ErrorCode::PayloadTooLarge: return "payload-too-large";
    case ErrorCode::UnsupportedMediaType: return "unsupported-media-type";
    case ErrorCode::KeyMissing: return "key-missing";
    case ErrorCode::KeyInvalid: return "key-invalid";
    case ErrorCode::RequestInvalid: return "request-invalid";
    case ErrorCode::AmountInvalid: return "amount-invalid";
    case ErrorCode::CurrencyInvalid: return "currency-invalid";
    case ErrorCode::AmountOverflow: return "amount-overflow";
    case ErrorCode::CurrencyMixed: return "currency-mixed";
    case ErrorCode::InsufficientFunds: return "insufficient-funds";
    case ErrorCode::AccountUnusable: return "account-unusable";
    case ErrorCode::PayloadMismatch: return "payload-mismatch";
    case ErrorCode::KeyExpired: return "key-expired";
    case ErrorCode::DuplicateOperation: return "duplicate-operation";
    case ErrorCode::KeyInFlight: return "key-in-flight";
    case ErrorCode::AlreadyExists: return "already-exists";
    case ErrorCode::LeaseLost: return "lease-lost";
    case ErrorCode::ConstraintViolated: return "constraint-violated";
    case ErrorCode::SerializationFailed: return "serialization-failed";
    case ErrorCode::StatementFailed: return "statement-failed";
    case ErrorCode::PermissionDenied: return "permission-denied";
    case ErrorCode::SchemaMismatch: return "schema-mismatch";
    case ErrorCode::DatabaseUnavailable: return "database-unavailable";
    case ErrorCode::CommitInDoubt: return "commit-in-doubt";
    case ErrorCode::NotSent: return "not-sent";
    case ErrorCode::NoAnswer: return "no-answer";
    case ErrorCode::AnswerInvalid: return "answer-invalid";
    case ErrorCode::ProviderUnavailable: return "provider-unavailable";
    case ErrorCode::Overloaded: return "overloaded";
    case ErrorCode::Draining: return "draining";
    case ErrorCode::Refused: return "refused";
    case ErrorCode::IoFailed: return "io-failed";
    }
    return "unknown";
}

} // namespace tekil
