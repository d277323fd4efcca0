// Writes requests of the merchant API, each a new payment of a random account, as cheaply as bytes can be put together.
#pragma once

#include "core/bench/site.h"

#include <random>

namespace tekil::bench {

enum class Keys : std::uint8_t { V7, V4 }; // idempotency keys sorted by time, or random

class PaymentWriter {
public:
    // `prefer` is the Prefer header's value, empty for none.
    explicit PaymentWriter(const Site& site, Keys keys = Keys::V7, const std::string& prefer = "");

    void write(std::string& out);

private:
    std::vector<std::string> m_heads; // by merchant, up to the idempotency key
    const std::int64_t m_firstAccount;
    const std::size_t m_accounts;
    const Keys m_keys;
    std::int64_t m_invoice; // the next one: greater than any that another run used
    std::minstd_rand m_random;
};

} // namespace tekil::bench
