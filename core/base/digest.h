// SHA-256 and hex text, by OpenSSL.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace tekil {

using Sha256 = std::array<std::uint8_t, 32>;

Sha256 sha256(std::string_view bytes);
std::string hex(const Sha256& digest);               // lower case
std::string randomToken(std::size_t bytes);          // base64url without padding, from the system's random source

} // namespace tekil
