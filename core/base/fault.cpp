#include "core/base/fault.h"

#include <algorithm>
#include <charconv>
#include <csignal>
#include <string>

namespace tekil::fault {

namespace {

enum class Action : std::uint8_t { Crash, Pause, Fail };

struct Order {
    Point point = ClaimBefore;
    Action action = Action::Crash;
    int nth = 1; // the visit at which it happens, once
};

Order order; // written before isArmed is
std::atomic<int> visits = 0;

Error wrong(const std::string& what)
{
    std::string names;
    for (const Named& named : kPoints)
        names += (names.empty() ? "" : ", ") + std::string(named.name);
    return Error{ErrorCode::InvalidArgument,
                 "TEKIL_FAULT: " + what + "; write name:crash|pause|fail[:nth] with one of " + names};
}

} // namespace

Result<void> arm(std::string_view text)
{
    isArmed = false;
    visits = 0;
    if (text.empty())
        return {};
    const std::size_t colon = text.find(':');
    const std::string_view name = text.substr(0, colon);
    const auto* const named = std::find_if(kPoints.begin(), kPoints.end(),
                                           [name](const Named& each) { return each.name == name; });
    if (named == kPoints.end())
        return wrong("there is no place \"" + std::string(name) + "\"");
    std::string_view action = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
    order = {.point = named->point};
    if (const std::size_t second = action.find(':'); second != std::string_view::npos) {
        const std::string_view nth = action.substr(second + 1);
        const auto [stop, error] = std::from_chars(nth.data(), nth.data() + nth.size(), order.nth);
        if (error != std::errc() || stop != nth.data() + nth.size() || order.nth < 1)
            return wrong("\"" + std::string(nth) + "\" is not a visit's number");
        action = action.substr(0, second);
    }
    if (action == "crash")
        order.action = Action::Crash;
    else if (action == "pause")
        order.action = Action::Pause;
    else if (action == "fail" && named->canFail)
        order.action = Action::Fail;
    else
        return wrong("\"" + std::string(action) + "\" cannot happen at " + std::string(name));
    isArmed = true;
    return {};
}

bool reached(Point point)
{
    if (point != order.point || ++visits != order.nth)
        return false;
    switch (order.action) {
    case Action::Crash: std::raise(SIGKILL); break;
    case Action::Pause: std::raise(SIGSTOP); break;
    case Action::Fail: return true;
    }
    return false;
}

Error away()
{
    return Error{ErrorCode::DatabaseUnavailable, "a fault that was asked for: the database is away"};
}

Error inDoubt()
{
    return Error{ErrorCode::CommitInDoubt, "a fault that was asked for: the commit's answer was lost"};
}

} // namespace tekil::fault
