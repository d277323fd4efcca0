// The simulated bank's memory: what it took up, what it booked, and which keys it still knows. Not thread-safe: the
// bank asks it under its own lock.
#pragma once

#include "core/base/result.h"
#include "core/sandbox/bank.h"
#include "core/sandbox/bank_request.h"
#include "core/sandbox/bank_script.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace tekil::sandbox {

enum class BankStatus : std::uint8_t { Booked, Declined, Pending };

struct BankEntry {
    BankOperation operation;
    std::string reference;
    std::string merchantReference; // of a refund: its charge's
    BankStatus status = BankStatus::Pending;
    std::string declineCode;
    std::int64_t bookedAtUs = 0;             // Booked
    std::chrono::nanoseconds takenAt{};      // both of bootTime
    std::chrono::nanoseconds hiddenUntil{};  // an inquiry before it finds nothing
};

// The protocol's object, with status captured, refunded, declined or pending.
std::string entryJson(const BankEntry& entry);

class BankBooks {
public:
    // The entry that this key named, unless it was forgotten; nullptr.
    BankEntry* ofKey(const std::string& key, std::optional<std::chrono::milliseconds> forgetAfter);
    // The operation's first entry, for an inquiry; nullptr: there is none, or the inquiry must not see it yet.
    const BankEntry* ofOperation(BankKind kind, const std::string& operationId) const;

    // Takes the operation up by the rule: booked at once, declined, or pending. A refund of what was not captured, or
    // of more than is left of it, is declined whatever the rule says. References to entries stay valid.
    BankEntry& take(const BankOperation& operation, const BankRule& rule);
    // Books a pending entry: the end of a late capture.
    void book(BankEntry& entry);
    void forgetKeys();

    const std::deque<BankEntry>& entries() const { return m_entries; }

    // Every booking of the day, in the order of booking, and a trailer (app/bank/README.md).
    // AmountOverflow: a sum does not fit.
    Result<std::string> settlementCsv(const BankDay& day) const;

    BankCounts counts;

private:
    std::string_view reasonToDecline(const BankOperation& refund) const; // "": none

    std::deque<BankEntry> m_entries;
    std::unordered_map<std::string, BankEntry*> m_byKey;
    std::array<std::unordered_map<std::string, BankEntry*>, kBankKinds> m_byOperation; // the first of each
    std::unordered_map<std::string, std::int64_t> m_captures;
    // By currency and charge: what was captured, less what refunds took or hold.
    std::unordered_map<std::string, std::int64_t> m_leftToRefund;
};

} // namespace tekil::sandbox
