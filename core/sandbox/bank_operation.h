// What the simulated bank is asked to book: a charge, or a refund of one.
#pragma once

#include "core/base/currency.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tekil::sandbox {

enum class BankKind : std::uint8_t { Charge, Refund };
inline constexpr std::size_t kBankKinds = 2;
constexpr std::size_t indexOf(BankKind kind)
{
    return static_cast<std::size_t>(kind);
}
std::string_view nameOf(BankKind kind); // "charge", "refund"

struct BankOperation {
    BankKind kind = BankKind::Charge;
    std::string idempotencyKey;
    std::string operationId;
    std::string originalOperationId; // Refund: the charge it gives back
    std::string merchantReference;   // Charge
    std::int64_t amountMinor = 0;    // above zero
    Currency currency;
};

// The same but for its key.
bool samePayload(const BankOperation& a, const BankOperation& b);

} // namespace tekil::sandbox
