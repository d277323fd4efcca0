// Reads what the simulated bank is sent, exactly: a doubtful request is refused by name and books nothing.
#pragma once

#include "core/base/result.h"
#include "core/http/message.h"
#include "core/sandbox/bank_operation.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tekil::sandbox {

// POST /charges or POST /refunds. KeyMissing, KeyInvalid, RequestInvalid, AmountInvalid, CurrencyInvalid.
Result<BankOperation> readOperation(const http::Request& request, BankKind kind);

// The header Send-Before in microseconds since 1970; the end of time where it is not sent. RequestInvalid.
Result<std::int64_t> readSendBefore(const http::Request& request);

// A day in UTC, as "2026-03-05".
struct BankDay {
    std::string text;
    std::int64_t startUs = 0; // microseconds since 1970
    std::int64_t endUs = 0;   // of the next day's start
};
std::optional<BankDay> parseDay(std::string_view text);

} // namespace tekil::sandbox
