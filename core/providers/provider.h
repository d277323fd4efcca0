// The port to payment providers: a slot first, then one charge through it, and what its answer proves.
#pragma once

#include "core/base/money.h"
#include "core/base/result.h"
#include "core/base/uuid.h"
#include "core/providers/circuit_breaker.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tekil::providers {

// A row of tekil.provider.
struct ProviderRow {
    std::int64_t id = 0;
    std::string name;
    std::string baseUrl;
    bool canIdempotent = false;
    bool canInquiry = false;
    std::chrono::milliseconds timeout{5'000};
    std::size_t maxConcurrency = 64;
    // HTTP statuses that prove, on a first and only attempt, that nothing was charged.
    std::vector<int> definiteRefusals;
    std::chrono::milliseconds sendDeadline{900'000}; // from the request on; not sent by then is Failed
    BreakerRules breaker;

    friend bool operator==(const ProviderRow&, const ProviderRow&) = default;
};

// What an attempt proved (design, section 4, "What an answer proves").
enum class Proof : std::uint8_t {
    Captured, // the provider charged exactly this
    Declined, // the provider said no
    Refused,  // a status that the provider's row lists as a definite refusal, on a first and only attempt
    Unknown,  // nothing: silence, or an answer that is no proof
    NotSent,  // not a byte went out
};

constexpr std::string_view nameOf(Proof proof)
{
    switch (proof) {
    case Proof::Captured: return "captured";
    case Proof::Declined: return "declined";
    case Proof::Refused: return "refused";
    case Proof::Unknown: return "unknown";
    case Proof::NotSent: return "not_sent";
    }
    return "";
}

struct ChargeOutcome {
    Proof proof = Proof::Unknown;
    std::optional<std::string> reference; // the provider's own name of the charge
    std::optional<std::string> code;      // a decline code, or why it is Unknown: no_answer, amount_mismatch, …
    std::optional<std::int32_t> httpStatus;
    std::optional<std::string> answer;    // the body as it came
    std::chrono::nanoseconds sentAt{};    // bootTime() when its first byte had been written; zero: none was
    bool unreached = false;               // no connection, or no answer in it: what a circuit breaker counts
};

// What asking for a charge brought. A failed inquiry is Unknown and changes nothing.
struct InquiryOutcome {
    bool notFound = false; // the provider said so in its protocol's own words
    ChargeOutcome charge;
};

// One charge, exactly as it was committed in provider_attempt.
struct Charge {
    Uuid operationId;
    Money amount;
    std::string body;       // sent byte for byte
    std::string sendBefore; // RFC 3339, told to the provider
    std::chrono::nanoseconds sendBeforeBoot{}; // the same on CLOCK_BOOTTIME: not a byte from there on
    bool firstAttempt = true;
};

using OnOutcome = std::function<void(ChargeOutcome)>;

// The right to one call, with a connection that is ready for its first byte. Dropped unused, it is given back.
class Slot {
public:
    virtual ~Slot() = default;
    // Sends once, at most. The callback runs on a thread of the provider's own.
    virtual void charge(Charge charge, OnOutcome onOutcome) && = 0;
};
using OnSlot = std::function<void(Result<std::unique_ptr<Slot>>)>;

class Provider {
public:
    virtual ~Provider() = default;
    virtual const ProviderRow& row() const = 0;
    // The text of a charge's request, made once and stored with its attempt.
    virtual std::string chargeBody(Uuid operationId, std::string_view merchantReference, Money amount) const = 0;
    // Errors: NotSent (it cannot be reached: nothing was sent), Overloaded (too many wait).
    virtual void acquire(OnSlot onSlot) = 0;
    // Asks for the charge of an operation. The callback runs on a thread of the provider's own.
    using OnInquiry = std::function<void(InquiryOutcome)>;
    virtual void inquire(Uuid operationId, Money amount, OnInquiry onInquiry) = 0;
};

} // namespace tekil::providers
