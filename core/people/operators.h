// Operators: the logins that people have, each in one role.
#pragma once

#include "core/db/connection.h"

#include <string>
#include <string_view>
#include <vector>

namespace tekil::people {

// A password of 24 random characters.
std::string makePassword();

// Makes a login in the role (support, operations, finance, auditor, admin); the password reaches the server as a SCRAM
// verifier only. AlreadyExists, InvalidArgument (a name or role that cannot be).
Result<void> addOperator(db::Connection& owner, std::string_view login, std::string_view role,
                         std::string_view password);

struct RemadeLogin {
    std::string login;
    std::string password; // told once
};
// After a restore: a backup holds the people, not their logins. Each gets its login again, with a new password.
Result<std::vector<RemadeLogin>> remakeLogins(db::Connection& owner);

} // namespace tekil::people
