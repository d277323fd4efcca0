// The states of a payment and the only ways between them. The same rows are data in SQL (tekil.payment_transition).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tekil {

enum class PaymentState : std::uint8_t { Processing, Completed, Failed, Unknown };

inline constexpr std::array kPaymentStates{PaymentState::Processing, PaymentState::Completed, PaymentState::Failed,
                                           PaymentState::Unknown};

struct PaymentTransition {
    PaymentState from;
    PaymentState to;
    friend constexpr bool operator==(const PaymentTransition&, const PaymentTransition&) = default;
};

// A re-send is an attempt, not a state: nothing leads back to Processing, and nothing leads out of an end.
inline constexpr std::array kPaymentTransitions{
    PaymentTransition{PaymentState::Processing, PaymentState::Completed},
    PaymentTransition{PaymentState::Processing, PaymentState::Failed},
    PaymentTransition{PaymentState::Processing, PaymentState::Unknown},
    PaymentTransition{PaymentState::Unknown, PaymentState::Completed},
    PaymentTransition{PaymentState::Unknown, PaymentState::Failed},
};

constexpr bool isEnd(PaymentState state)
{
    switch (state) {
    case PaymentState::Processing:
    case PaymentState::Unknown: return false;
    case PaymentState::Completed:
    case PaymentState::Failed: return true;
    }
    return false;
}

constexpr bool mayBecome(PaymentState from, PaymentState to)
{
    for (const PaymentTransition& row : kPaymentTransitions)
        if (row == PaymentTransition{from, to})
            return true;
    return false;
}

constexpr std::string_view nameOf(PaymentState state)
{
    switch (state) {
    case PaymentState::Processing: return "Processing";
    case PaymentState::Completed: return "Completed";
    case PaymentState::Failed: return "Failed";
    case PaymentState::Unknown: return "Unknown";
    }
    return "";
}

constexpr std::optional<PaymentState> paymentStateFromName(std::string_view name)
{
    for (const PaymentState state : kPaymentStates)
        if (nameOf(state) == name)
            return state;
    return std::nullopt;
}

// The laws, held at compile time.
constexpr bool transitionLawsHold()
{
    for (const PaymentTransition& row : kPaymentTransitions)
        if (row.to == PaymentState::Processing || isEnd(row.from) || row.from == row.to)
            return false;
    return true;
}
static_assert(transitionLawsHold());

// What a reservation can be: Active until the outcome is known.
enum class ReservationState : std::uint8_t { Active, Finalized, Released };

constexpr std::string_view nameOf(ReservationState state)
{
    switch (state) {
    case ReservationState::Active: return "Active";
    case ReservationState::Finalized: return "Finalized";
    case ReservationState::Released: return "Released";
    }
    return "";
}

constexpr std::optional<ReservationState> reservationStateFromName(std::string_view name)
{
    for (const ReservationState state :
         {ReservationState::Active, ReservationState::Finalized, ReservationState::Released})
        if (nameOf(state) == name)
            return state;
    return std::nullopt;
}

} // namespace tekil
