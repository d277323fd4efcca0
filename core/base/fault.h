// Named places where a test can crash, pause or fail this program: TEKIL_FAULT="name:crash|pause|fail[:nth]", read once
// at the start (tests/README.md). Off by default; a place then costs one relaxed load. Where it is set, the log says
// so.
#pragma once

#include "core/base/result.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

namespace tekil::fault {

// "Before" and "After" stand around a statement and its commit, an exchange, or an answer's bytes.
enum class Point : std::uint8_t {
    ClaimBefore,
    ClaimAfter,
    AcceptBefore,
    AcceptAfter,
    SlotAcquired,
    AttemptBefore,
    AttemptAfter,
    SendBefore, // the attempt is committed, the clock not yet looked at
    SendChecked, // the clock was looked at: the instant that only the provider can close
    SendAfter, // the request's last byte was written
    AnswerReceived,
    FinishBefore,
    FinishAfter,
    ReplyBefore,
    ReplyAfter,
    TakeoverBefore,
    TakeoverAfter,
    InquiryBefore,
    InquiryAfter,
    RenewBefore,
    RenewAfter,
    Drain,
};
using enum Point;

struct Named {
    Point point;
    std::string_view name;
    bool canFail; // whether there is an error that this place would see
};

// In the order of Point.
inline constexpr std::array kPoints{
    Named{ClaimBefore, "claim.before", true},       Named{ClaimAfter, "claim.after", true},
    Named{AcceptBefore, "accept.before", true},     Named{AcceptAfter, "accept.after", true},
    Named{SlotAcquired, "slot.acquired", true},     Named{AttemptBefore, "attempt.before", true},
    Named{AttemptAfter, "attempt.after", true},     Named{SendBefore, "send.before", true},
    Named{SendChecked, "send.checked", false},      Named{SendAfter, "send.after", true},
    Named{AnswerReceived, "answer.received", true}, Named{FinishBefore, "finish.before", true},
    Named{FinishAfter, "finish.after", true},       Named{ReplyBefore, "reply.before", false},
    Named{ReplyAfter, "reply.after", false},        Named{TakeoverBefore, "takeover.before", true},
    Named{TakeoverAfter, "takeover.after", true},   Named{InquiryBefore, "inquiry.before", true},
    Named{InquiryAfter, "inquiry.after", true},     Named{RenewBefore, "renew.before", true},
    Named{RenewAfter, "renew.after", true},         Named{Drain, "drain", false}};

constexpr bool isInOrder()
{
    for (std::size_t i = 0; i < kPoints.size(); ++i)
        if (static_cast<std::size_t>(kPoints[i].point) != i)
            return false;
    return true;
}
static_assert(isInOrder());

inline std::atomic<bool> isArmed = false;

// Before any thread of the engine starts. InvalidArgument, naming what is wrong; an empty text arms nothing.
Result<void> arm(std::string_view text);
bool reached(Point point);

// Crashes or pauses here where that was asked for. True: this place is to fail.
inline bool at(Point point)
{
    if (!isArmed.load(std::memory_order_relaxed)) [[likely]]
        return false;
    return reached(point);
}

// What a statement's place fails with: before it, the database is away; after it, its answer was lost.
Error away();
Error inDoubt();

} // namespace tekil::fault
