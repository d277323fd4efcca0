#include "core/base/digest.h"

#include "core/base/check.h"

#include <openssl/rand.h>
#include <openssl/sha.h>

#include <vector>

namespace tekil {

Sha256 sha256(std::string_view bytes)
{
    Sha256 out{};
    SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), out.data());
    return out;
}

std::string hex(const Sha256& digest)
{
    static constexpr char kHex[] = "0123456789abcdef";
    std::string out;
    out.reserve(digest.size() * 2);
    for (const std::uint8_t byte : digest) {
        out += kHex[byte >> 4];
        out += kHex[byte & 0x0F];
    }
    return out;
}

std::string randomToken(std::size_t bytes)
{
    static constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    std::vector<unsigned char> raw(bytes);
    TEKIL_CHECK(RAND_bytes(raw.data(), static_cast<int>(raw.size())) == 1);
    std::string out;
    std::uint32_t bits = 0;
    int held = 0;
    for (const unsigned char byte : raw) {
        bits = bits << 8 | byte;
        held += 8;
        while (held >= 6) {
            held -= 6;
            out += kAlphabet[bits >> held & 0x3F];
        }
    }
    if (held > 0)
        out += kAlphabet[bits << (6 - held) & 0x3F];
    return out;
}

} // namespace tekil
