// Who a request is from: merchants by the hash of their API key, remembered for a moment, with their rate.
#pragma once

#include "core/base/digest.h"
#include "core/payments/pipeline.h"
#include "core/payments/token_bucket.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace tekil::payments {

struct Merchant {
    std::int64_t id = 0;
    std::string name;
};
// Forbidden: no such key, or the merchant is disabled. RateLimited, with the time until the next request is taken.
// DatabaseUnavailable and its kind.
struct Admitted {
    Result<Merchant> merchant;
    std::chrono::nanoseconds wait{0};
};
using OnMerchant = std::function<void(Admitted)>;

class MerchantDirectory {
public:
    explicit MerchantDirectory(Pipeline& pipeline) : m_pipeline(pipeline) {}

    // The callback runs at once where the key is remembered, else on a lane's thread.
    void find(std::string_view apiKey, OnMerchant onMerchant);

private:
    struct Entry {
        bool known = false;
        bool disabled = false;
        Merchant merchant;
        std::int64_t ratePerSecond = 0; // 0: no limit
        std::chrono::nanoseconds readAt{};
        TokenBucket bucket;
    };

    static Admitted admit(Entry& entry);
    void read(const Sha256& hash, OnMerchant onMerchant);

    Pipeline& m_pipeline;
    std::mutex m_mutex;
    std::unordered_map<std::string, Entry> m_entries; // by the hash's bytes
};

} // namespace tekil::payments
