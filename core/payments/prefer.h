// The header Prefer (RFC 7240): how long a client waits for the end of its payment before it is told 202.
#pragma once

#include <chrono>
#include <string_view>
#include <vector>

namespace tekil::payments {

inline constexpr std::chrono::seconds kDefaultWait{10};
inline constexpr std::chrono::seconds kLongestWait{30};

// Reads every header line of that name, as one list. `wait=N` counts, its first instance where there are more; without
// it `respond-async` is a wait of nothing. What cannot be read, and every other preference, is passed over.
std::chrono::milliseconds readWait(const std::vector<std::string_view>& lines);

} // namespace tekil::payments
