#include "core/people/scram.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <openssl/sha.h>

#include <array>

namespace tekil::people {

namespace {

constexpr int kIterations = 4096; // PostgreSQL 15's own
constexpr std::size_t kSaltBytes = 16;
using Key = std::array<unsigned char, SHA256_DIGEST_LENGTH>;

std::string base64(const unsigned char* bytes, std::size_t size)
{
    std::string text(4 * ((size + 2) / 3) + 1, '\0');
    const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), bytes, static_cast<int>(size));
    text.resize(static_cast<std::size_t>(length));
    return text;
}

Key hmac(const Key& key, std::string_view text)
{
    Key out{};
    unsigned int length = 0;
    TEKIL_CHECK(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
                     reinterpret_cast<const unsigned char*>(text.data()), text.size(), out.data(), &length)
                != nullptr);
    return out;
}

} // namespace

Result<std::string> scramVerifier(std::string_view password)
{
    for (const char c : password)
        if (c < 0x21 || c > 0x7E)
            return Error{ErrorCode::InvalidArgument, "a password may hold printable ASCII characters without spaces"};
    std::array<unsigned char, kSaltBytes> salt{};
    TEKIL_CHECK(RAND_bytes(salt.data(), static_cast<int>(salt.size())) == 1);
    Key salted{};
    TEKIL_CHECK(PKCS5_PBKDF2_HMAC(password.data(), static_cast<int>(password.size()), salt.data(),
                                  static_cast<int>(salt.size()), kIterations, EVP_sha256(),
                                  static_cast<int>(salted.size()), salted.data())
                == 1);
    const Key client = hmac(salted, "Client Key");
    const Key server = hmac(salted, "Server Key");
    Key stored{};
    SHA256(client.data(), client.size(), stored.data());
    return "SCRAM-SHA-256$" + std::to_string(kIterations) + ":" + base64(salt.data(), salt.size()) + "$"
           + base64(stored.data(), stored.size()) + ":" + base64(server.data(), server.size());
}

} // namespace tekil::people
