#include "core/payments/merchant_store.h"

#include "core/base/digest.h"
#include "core/base/money.h"
#include "sql_queries.h"

namespace tekil::payments {

namespace {

Error noAccount(std::int64_t id)
{
    return Error{ErrorCode::NotFound, "there is no account " + std::to_string(id) + " of a customer or merchant"};
}

} // namespace

Result<AddedMerchant> addMerchant(db::Connection& connection, const NewMerchant& merchant)
{
    constexpr std::size_t kKeyBytes = 32;
    constexpr int kLimitDecimals = 4; // the most that a currency has
    if (merchant.limit) {
        const auto limit = minorFromDecimal(*merchant.limit, kLimitDecimals);
        if (!limit || *limit <= 0)
            return Error{ErrorCode::InvalidArgument, "a limit is an amount greater than zero, such as 5000.00"};
    }
    AddedMerchant added;
    added.apiKey = merchant.apiKey.empty() ? "tk_" + randomToken(kKeyBytes) : merchant.apiKey;
    db::Params params;
    params.add(merchant.name).add(std::span<const std::uint8_t>(sha256(added.apiKey))).add(merchant.defaultAccountId);
    params.add(merchant.provider).add(merchant.limit).add(merchant.ratePerSecond);
    const auto rows = connection.run(sql::setup::addMerchant, params);
    if (!rows && rows.error().sqlState == "23505")
        return Error{ErrorCode::AlreadyExists, "there is a merchant " + merchant.name + " already"};
    if (!rows && rows.error().sqlState == "23514")
        return Error{ErrorCode::InvalidArgument,
                     "a merchant has a name of a-z, 0-9, _ and -, and a rate of at least 1"};
    if (!rows)
        return rows.error();
    if (!rows->boolean(0, 1))
        return noAccount(merchant.defaultAccountId);
    if (!rows->boolean(0, 2))
        return Error{ErrorCode::NotFound, "there is no provider " + merchant.provider};
    added.id = rows->int64(0, 0);
    return added;
}

Result<std::int64_t> grantAccount(db::Connection& connection, const std::string& merchant, std::int64_t accountId)
{
    const auto rows = connection.run(sql::setup::grantAccount, db::Params().add(merchant).add(accountId));
    if (!rows)
        return rows.error();
    if (rows->isNull(0, 0))
        return Error{ErrorCode::NotFound, "there is no merchant " + merchant};
    if (rows->isNull(0, 1))
        return noAccount(accountId);
    return rows->int64(0, 0);
}

} // namespace tekil::payments
