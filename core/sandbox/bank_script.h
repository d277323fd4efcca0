// What the simulated bank is told to do: a list of rules; the first that fits a charge or refund decides
// (app/bank/README.md).
#pragma once

#include "core/base/result.h"
#include "core/sandbox/bank_operation.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tekil::sandbox {

enum class BankAct : std::uint8_t {
    Capture,
    Decline,
    Pending,     // takes it up without an end; an inquiry shows "pending"
    LateCapture, // the same, but books it later
    Drop,        // books, then closes without an answer
    Close,       // reads, books nothing, closes without an answer
    Error,       // answers with a 5xx, after booking where `book` says so
    Malformed,   // books, then answers with a body that is cut off
};

struct BankRule {
    // Everything that is set must fit.
    std::optional<BankKind> kind;
    std::optional<std::string> amount; // decimal text, compared as minor units of the operation's currency
    std::optional<std::string> currency;
    std::optional<std::string> operationId;
    std::optional<std::string> merchantReference;
    std::optional<std::int64_t> attempt;  // the operation's nth request, from 1
    std::optional<std::int64_t> everyNth; // of what fits all the above
    std::optional<std::int64_t> sharePpm; // of the same, chosen by the seed, the operation and its attempt
    std::optional<std::int64_t> times;    // at most so often

    BankAct act = BankAct::Capture;
    bool reset = false;          // Drop, Close, LateCapture without an answer: RST instead of FIN
    bool book = false;           // Error
    int status = 503;            // Error
    std::int64_t captureAfterMs = 0; // LateCapture
    bool unanswered = false;         // LateCapture
    std::int64_t notFoundMs = 0;     // for so long an inquiry finds nothing
    std::string declineCode = "do_not_honor";
    std::int64_t delayMs = 0;
    bool delayBeforeBooking = false;

    std::int64_t seen = 0; // what fitted before everyNth, share and times
    std::int64_t used = 0;

    bool takesUp() const { return act != BankAct::Close && (act != BankAct::Error || book); }
};

struct BankScript {
    std::uint64_t seed = 1;
    bool idempotent = true;
    bool inquiry = true;
    bool forgetKeys = false; // those that are known when the script is set
    std::optional<std::chrono::milliseconds> forgetKeysAfter;
    std::vector<BankRule> rules;

    // RequestInvalid, naming the member, for anything that the format does not know.
    static Result<BankScript> fromJson(std::string_view json);

    // The rule for this operation, counted as used; nullptr: a plain capture or refund.
    const BankRule* decide(const BankOperation& operation, std::int64_t attempt);
};

} // namespace tekil::sandbox
