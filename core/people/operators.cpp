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

Result<std::vector<RemadeLogin>> remakeLogins(db::Connection& owner)
{
    const auto rows = owner.run(sql::people::logins, {}, db::Mode::Reads);
    if (!rows)
        return rows.error();
    std::vector<RemadeLogin> made;
    for (int row = 0; row < rows->count(); ++row) {
        RemadeLogin login{std::string(rows->text(row, 0)), makePassword()};
        const auto verifier = scramVerifier(login.password);
        if (!verifier)
            return verifier.error();
        const auto done = owner.run(sql::people::remakeLogin, db::Params().add(login.login).add(*verifier));
        if (!done)
            return done.error();
        made.push_back(std::move(login));
    }
    return made;
}

} // namespace tekil::people
