// Accounts and the books: opening, funding, verifying. All money moves through the ledger.
#pragma once

#include "core/base/money.h"
#include "core/base/uuid.h"
#include "core/db/connection.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tekil::ledger {

enum class AccountKind : std::uint8_t { Customer, Merchant };

// Opens an account for a customer or a merchant; its id. System accounts open themselves when first needed.
Result<std::int64_t> openAccount(db::Connection& connection, Currency currency, const std::optional<std::string>& owner,
                                 AccountKind kind);

// The currency of an account that money can be put on. NotFound.
Result<Currency> currencyOf(db::Connection& connection, std::int64_t accountId);

// Credits an account from funding, once for each id: the same call again changes nothing and succeeds.
// AlreadyExists: the id was used for something else. NotFound, AccountUnusable (closed).
Result<void> fundAccount(db::Connection& connection, Uuid transactionId, std::int64_t accountId,
                         std::int64_t amountMinor, std::string_view by);

// One check of the books: what it is called, and each row that does not hold.
struct VerifiedCheck {
    struct Problem {
        std::string subject;
        std::string what;
    };
    std::string name;
    std::vector<Problem> problems;
};
Result<std::vector<VerifiedCheck>> verify(db::Connection& connection);

} // namespace tekil::ledger
