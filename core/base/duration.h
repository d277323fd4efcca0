// Durations as options and configuration write them: "500ms", "5s", "15m", "24h".
#pragma once

#include "core/base/result.h"

#include <chrono>
#include <string_view>

namespace tekil {

// A positive whole number and its unit. InvalidArgument, saying what it should look like.
Result<std::chrono::milliseconds> readDuration(std::string_view text);

} // namespace tekil
