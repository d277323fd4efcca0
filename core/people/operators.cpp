#include "core/people/operators.h"

#include "core/base/digest.h"
#include "core/people/scram.h"
#include "sql_queries.h"

namespace tekil::people {

std::string makePassword()
{
    constexpr std::size_t kBytes = 18; // 24 characters of base64url
    return randomToken(kBytes);
}

Result<void> addOperator(db::Connection& owner, std::string_view login, std::string_view role,
                         std::string_view password)
{
    if (password.size() < 12)
        return Error{ErrorCode::InvalidArgument, "a password has at least 12 characters"};
    const auto verifier = scramVerifier(password);
    if (!verifier)
        return verifier.error();
    const auto rows = owner.run(sql::people::makeOperator, db::Params().add(login).add(role).add(*verifier));
    if (rows)
        return {};
    if (rows.error().sqlState == "42710")
        return Error{ErrorCode::AlreadyExists, "there is a login " + std::string(login) + " already"};
    if (rows.error().sqlState == "22023")
        return Error{ErrorCode::InvalidArgument, rows.error().detail};
    return rows.error();
}

} // namespace tekil::people
