// SCRAM-SHA-256 verifiers as PostgreSQL stores them (RFC 5802, RFC 7677): a password never travels.
#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>

namespace tekil::people {

// "SCRAM-SHA-256$4096:<salt>$<StoredKey>:<ServerKey>" with a random salt. InvalidArgument: anything but printable
// ASCII, for which SASLprep changes nothing.
Result<std::string> scramVerifier(std::string_view password);

} // namespace tekil::people
