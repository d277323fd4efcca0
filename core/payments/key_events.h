// What happens to keys outside a batch's own transaction: duplicates, mismatches, replays, calls that were not sent.
// Counted per key and second, written after the answer, so that a flood of retries is one row a second.
#pragma once

#include "core/base/uuid.h"
#include "core/db/connection.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>

namespace tekil::payments {

class KeyEvents {
public:
    // The kinds are those of tekil.key_event_kind.
    void note(std::int64_t merchantId, const std::string& key, Uuid operationId, std::string_view kind);

    // Writes what was noted since the last flush; what could not be written is kept for the next one.
    Result<void> flush(db::Connection& connection, Uuid instance);

private:
    using Key = std::tuple<std::int64_t, std::string, Uuid, std::string>;
    using Counts = std::map<Key, std::int64_t>;
    static constexpr std::size_t kMaxKeys = 50'000; // beyond, new keys are not noted until the next flush

    std::mutex m_mutex;
    Counts m_counts;
};

} // namespace tekil::payments
