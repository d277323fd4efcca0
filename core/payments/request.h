// A merchant's request for a payment: read exactly, checked, and fingerprinted.
#pragma once

#include "core/base/digest.h"
#include "core/base/money.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tekil::payments {

// What the client sent; a member that was absent is nullopt, so that its later default never enters the hash.
struct PaymentRequest {
    std::string invoiceId;        // an integer is its decimal text
    bool invoiceIsNumber = false; // how the answer writes it
    Money amount;
    std::optional<std::int64_t> accountId;
    std::optional<std::string> customerId;  // up to 128 characters
    std::optional<std::string> paymentType; // a-z, 0-9, _ and -, up to 32; "sale" where absent
    std::optional<std::string> description; // up to 500 characters
    std::optional<std::string> provider;    // a provider's name
};

inline constexpr std::string_view kDefaultPaymentType = "sale";

// The version of the encoding below; a stored hash is compared with the encoding of its own version only.
inline constexpr std::int16_t kHashVersion = 1;

// RequestInvalid, AmountInvalid, AmountOverflow, CurrencyInvalid; the detail names the member and says what to do.
Result<PaymentRequest> readPaymentRequest(std::string_view body);

// SHA-256 over the version, the kind of operation and each member that the client sent, length-prefixed, in a fixed
// order; money as minor units. Order, white space, escapes and the form of numbers do not matter; every member does.
Sha256 canonicalHash(const PaymentRequest& request);

} // namespace tekil::payments
