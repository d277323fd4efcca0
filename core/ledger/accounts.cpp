#include "core/ledger/accounts.h"

#include "sql_queries.h"

namespace tekil::ledger {

Result<std::int64_t> openAccount(db::Connection& connection, Currency currency, const std::optional<std::string>& owner,
                                 AccountKind kind)
{
    db::Params params;
    params.add(currency.code()).add(owner).add(kind == AccountKind::Customer ? "customer" : "merchant");
    const auto rows = connection.run(sql::setup::openAccount, params);
    if (!rows)
        return rows.error();
    return rows->int64(0, 0);
}

Result<Currency> currencyOf(db::Connection& connection, std::int64_t accountId)
{
    const auto rows = connection.run(sql::ledger::accountCurrency, db::Params().add(accountId), db::Mode::Reads);
    if (!rows)
        return rows.error();
    if (rows->count() == 0)
        return Error{ErrorCode::NotFound,
                     "there is no account " + std::to_string(accountId) + " of a customer or merchant"};
    return Currency::fromCode(rows->text(0, 0));
}

Result<void> fundAccount(db::Connection& connection, Uuid transactionId, std::int64_t accountId,
                         std::int64_t amountMinor, std::string_view by)
{
    if (amountMinor <= 0 || amountMinor > kMaxAmountMinor)
        return Error{ErrorCode::AmountInvalid, "the amount must be greater than zero and at most 10^15 minor units"};
    db::Params params;
    params.add(transactionId).add(accountId).add(amountMinor).add(by);
    const auto rows = connection.run(sql::ledger::fundAccount, params);
    if (!rows)
        return rows.error();
    const std::string_view outcome = rows->text(0, 0);
    if (outcome == "other")
        return Error{ErrorCode::AlreadyExists,
                     "the id " + transactionId.text() + " was used for another transaction; take a new one"};
    if (outcome == "no_account")
        return Error{ErrorCode::NotFound,
                     "there is no account " + std::to_string(accountId) + " of a customer or merchant"};
    if (outcome == "closed")
        return Error{ErrorCode::AccountUnusable, "account " + std::to_string(accountId) + " is closed"};
    return {};
}

Result<std::vector<VerifiedCheck>> verify(db::Connection& connection)
{
    const auto rows = connection.run(sql::ledger::verify, {}, db::Mode::Reads);
    if (!rows)
        return rows.error();
    std::vector<VerifiedCheck> checks;
    for (int row = 0; row < rows->count(); ++row) {
        if (checks.empty() || checks.back().name != rows->text(row, 0))
            checks.push_back({std::string(rows->text(row, 0)), {}});
        if (!rows->isNull(row, 1))
            checks.back().problems.push_back({std::string(rows->text(row, 1)), std::string(rows->text(row, 2))});
    }
    return checks;
}

} // namespace tekil::ledger
