// The header Idempotency-Key: what is a key, and that its quoted and its bare form are one.
#include "core/payments/idempotency_key.h"
#include "tests/fuzz/property.h"

#include <algorithm>
#include <cstdint>

using namespace tekil;

namespace {

std::string quoted(const std::string& key)
{
    std::string out = "\"";
    for (const char c : key) {
        if (c == '"' || c == '\\')
            out += '\\';
        out += c;
    }
    return out + '"';
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string text(reinterpret_cast<const char*>(data), size);
    const auto key = payments::readIdempotencyKey({text});
    fuzz::holds(!payments::readIdempotencyKey({text, text}).ok(), "two lines are no key");
    if (!key)
        return 0;
    fuzz::holds(!key->empty() && key->size() <= payments::kMaxKeyLength, "a key has 1 to 255 characters");
    fuzz::holds(std::all_of(key->begin(), key->end(), [](char c) { return c >= 0x20 && c <= 0x7E; }),
                "a key is printable");
    const std::string form = quoted(*key);
    const auto again = payments::readIdempotencyKey({form});
    fuzz::holds(again.ok() && *again == *key, "the quoted form is the same key");
    if (text.front() != '"' && text.front() != ' ' && text.front() != '\t' && text.back() != ' ' && text.back() != '\t')
        fuzz::holds(*key == text, "a bare key is the line itself");
    const std::string withParameter = form + ";a=1";
    fuzz::holds(!payments::readIdempotencyKey({withParameter}).ok(), "a key has no parameters");
    return 0;
}
