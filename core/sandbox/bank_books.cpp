#include "core/sandbox/bank_books.h"

#include "core/base/clock.h"
#include "core/base/json.h"
#include "core/base/money.h"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <map>
#include <tuple>
#include <vector>

namespace tekil::sandbox {

namespace {

std::string_view statusOf(const BankEntry& entry)
{
    switch (entry.status) {
    case BankStatus::Booked: return entry.operation.kind == BankKind::Charge ? "captured" : "refunded";
    case BankStatus::Declined: return "declined";
    case BankStatus::Pending: return "pending";
    }
    return "";
}

// The charge that it is or gives back, in its currency: a code has three letters, so no two of these are alike.
std::string chargeOf(const BankOperation& operation)
{
    const bool isCharge = operation.kind == BankKind::Charge;
    return std::string(operation.currency.code()) + (isCharge ? operation.operationId : operation.originalOperationId);
}

// RFC 4180: quoted where it must be.
std::string csvField(std::string_view text)
{
    if (text.find_first_of(",\"\r\n") == std::string_view::npos)
        return std::string(text);
    std::string out = "\"";
    for (const char c : text) {
        out += c;
        if (c == '"')
            out += '"';
    }
    return out + '"';
}

std::string csvLine(std::initializer_list<std::string_view> fields)
{
    std::string out;
    for (const std::string_view field : fields)
        out += (out.empty() ? "" : ",") + csvField(field);
    return out + "\r\n";
}

struct Total {
    std::int64_t count = 0;
    Money sum;
};

} // namespace

std::string entryJson(const BankEntry& entry)
{
    const BankOperation& operation = entry.operation;
    JsonWriter json;
    json.member("providerReference", entry.reference)
        .member("operationId", operation.operationId)
        .member("status", statusOf(entry))
        .member("amount", decimalFromMinor(operation.amountMinor, operation.currency.exponent()))
        .member("currency", operation.currency.code());
    if (entry.status == BankStatus::Declined)
        json.member("declineCode", entry.declineCode);
    else
        json.null("declineCode");
    return json.take();
}

BankEntry* BankBooks::ofKey(const std::string& key, std::optional<std::chrono::milliseconds> forgetAfter)
{
    const auto known = m_byKey.find(key);
    if (known == m_byKey.end())
        return nullptr;
    if (forgetAfter && bootTime() - known->second->takenAt >= *forgetAfter) {
        m_byKey.erase(known);
        return nullptr;
    }
    return known->second;
}

const BankEntry* BankBooks::ofOperation(BankKind kind, const std::string& operationId) const
{
    const auto& ofKind = m_byOperation[indexOf(kind)];
    const auto known = ofKind.find(operationId);
    if (known == ofKind.end() || bootTime() < known->second->hiddenUntil)
        return nullptr;
    return known->second;
}

std::string_view BankBooks::reasonToDecline(const BankOperation& refund) const
{
    const auto left = m_leftToRefund.find(chargeOf(refund));
    if (left == m_leftToRefund.end())
        return "unknown_charge";
    return left->second < refund.amountMinor ? "exceeds_capture" : "";
}

BankEntry& BankBooks::take(const BankOperation& operation, const BankRule& rule)
{
    char reference[32];
    std::snprintf(reference, sizeof reference, "BNK-%010zu", m_entries.size() + 1);
    const std::chrono::nanoseconds now = bootTime();
    BankEntry& entry = m_entries.emplace_back(
        BankEntry{operation, reference, operation.merchantReference, BankStatus::Pending, {}, 0, now, {}});
    if (rule.notFoundMs > 0)
        entry.hiddenUntil = now + std::chrono::milliseconds(rule.notFoundMs);
    m_byKey.try_emplace(operation.idempotencyKey, &entry);
    m_byOperation[indexOf(operation.kind)].try_emplace(operation.operationId, &entry);

    const bool isRefund = operation.kind == BankKind::Refund;
    const std::string_view own = isRefund ? reasonToDecline(operation) : "";
    if (!own.empty() || rule.act == BankAct::Decline) {
        entry.status = BankStatus::Declined;
        entry.declineCode = own.empty() ? rule.declineCode : own;
        ++counts.declined;
        return entry;
    }
    if (isRefund) {
        m_leftToRefund.at(chargeOf(operation)) -= operation.amountMinor;
        entry.merchantReference
            = m_byOperation[indexOf(BankKind::Charge)].at(operation.originalOperationId)->merchantReference;
    }
    if (rule.act == BankAct::Pending || rule.act == BankAct::LateCapture)
        ++counts.pending;
    else
        book(entry);
    return entry;
}

void BankBooks::book(BankEntry& entry)
{
    entry.status = BankStatus::Booked;
    entry.bookedAtUs = wallClockUs();
    const BankOperation& operation = entry.operation;
    if (operation.kind == BankKind::Refund) {
        ++counts.refunds;
        return;
    }
    ++counts.booked;
    if (++m_captures[operation.operationId] == 1)
        ++counts.operations;
    else
        ++counts.duplicates;
    std::int64_t& left = m_leftToRefund[chargeOf(operation)];
    const auto sum = Money(left, operation.currency).plus(Money(operation.amountMinor, operation.currency));
    left = sum ? sum->minor() : std::numeric_limits<std::int64_t>::max();
}

void BankBooks::forgetKeys()
{
    m_byKey.clear();
}

Result<std::string> BankBooks::settlementCsv(const BankDay& day) const
{
    std::vector<const BankEntry*> booked;
    for (const BankEntry& entry : m_entries)
        if (entry.status == BankStatus::Booked && entry.bookedAtUs >= day.startUs && entry.bookedAtUs < day.endUs)
            booked.push_back(&entry);
    std::sort(booked.begin(), booked.end(), [](const BankEntry* a, const BankEntry* b) {
        return std::tie(a->bookedAtUs, a->reference) < std::tie(b->bookedAtUs, b->reference);
    });
    std::string csv = csvLine(
        {"type", "provider_reference", "operation_id", "merchant_reference", "amount", "currency", "booked_at"});
    std::map<std::string, Total> totals;
    for (const BankEntry* entry : booked) {
        const BankOperation& operation = entry->operation;
        const bool isRefund = operation.kind == BankKind::Refund;
        const Money amount(isRefund ? -operation.amountMinor : operation.amountMinor, operation.currency);
        Total& total = totals
                           .try_emplace(std::string(operation.currency.code()), Total{0, Money(0, operation.currency)})
                           .first->second;
        const auto sum = total.sum.plus(amount);
        if (!sum)
            return sum.error();
        total = {total.count + 1, *sum};
        csv += csvLine({nameOf(operation.kind), entry->reference, operation.operationId, entry->merchantReference,
                        amount.decimal(), operation.currency.code(), rfc3339(entry->bookedAtUs)});
    }
    for (const auto& [code, total] : totals)
        csv += csvLine({"trailer", day.text, std::to_string(total.count), "", total.sum.decimal(), code, ""});
    if (totals.empty())
        csv += csvLine({"trailer", day.text, "0", "", "", "", ""});
    return csv;
}

} // namespace tekil::sandbox
