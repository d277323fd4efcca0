// Merchants' rows: adding one with its API key, and what it may debit.
#pragma once

#include "core/db/connection.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tekil::payments {

struct NewMerchant {
    std::string name; // a-z, 0-9, _ and -
    std::int64_t defaultAccountId = 0;
    std::string provider;              // by name
    std::optional<std::string> limit;  // decimal text, major units of each payment's currency
    std::optional<std::int64_t> ratePerSecond;
    std::string apiKey = {}; // empty: a new one is made
};

struct AddedMerchant {
    std::int64_t id = 0;
    std::string apiKey; // told once; only its hash is stored
};

// AlreadyExists, NotFound (the account or the provider), InvalidArgument.
Result<AddedMerchant> addMerchant(db::Connection& connection, const NewMerchant& merchant);

// The merchant's id. NotFound: the merchant or the account.
Result<std::int64_t> grantAccount(db::Connection& connection, const std::string& merchant, std::int64_t accountId);

} // namespace tekil::payments
