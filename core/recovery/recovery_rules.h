// What to do next with a payment that was taken over, decided from its rows alone (design, section 4).
#pragma once

#include "core/base/payment_state.h"

#include <cstdint>

namespace tekil::recovery {

struct Situation {
    PaymentState state = PaymentState::Processing;
    bool isAccepted = false;     // the payment and its reservation exist
    bool hasOpenAttempt = false; // its sender is gone: whether a byte went out is not known
    std::int64_t sent = 0;       // attempts that may have reached the provider, the open one included
    bool canIdempotent = false;
    bool canInquiry = false;
    bool mayNotBeSent = false;   // the provider may have forgotten the key, or the send deadline has passed
    bool wasAsked = false;       // in this turn, without a proof
};

enum class NextStep : std::uint8_t {
    Accept,       // claimed only: goes on as if the client still waited
    Send,         // accepted, and nothing has been sent
    CloseAttempt, // the open attempt ends without an answer: the payment is Unknown
    Ask,          // asks the provider for the outcome
    SendAgain,    // the same bytes under the same key
    Leave,        // nothing that an engine may do: settlement or people end it
};

// How often one payment may be sent at all; after that it is asked for, or left.
inline constexpr std::int64_t kMaxSends = 8;

constexpr NextStep nextStep(const Situation& situation)
{
    if (!situation.isAccepted)
        return NextStep::Accept;
    if (situation.hasOpenAttempt)
        return NextStep::CloseAttempt;
    if (situation.state == PaymentState::Processing)
        return situation.sent == 0 ? NextStep::Send : NextStep::CloseAttempt;
    if (situation.canInquiry && !situation.wasAsked)
        return NextStep::Ask;
    if (situation.canIdempotent && !situation.mayNotBeSent && situation.sent < kMaxSends)
        return NextStep::SendAgain;
    return NextStep::Leave;
}

} // namespace tekil::recovery
