#include "core/base/duration.h"

#include <charconv>
#include <cstdint>
#include <limits>

namespace tekil {

Result<std::chrono::milliseconds> readDuration(std::string_view text)
{
    struct Unit {
        std::string_view name;
        std::int64_t ms;
    };
    static constexpr Unit kUnits[] = {{"ms", 1}, {"s", 1'000}, {"m", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}};
    std::int64_t number = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const std::string_view unit(stop, static_cast<std::size_t>(text.data() + text.size() - stop));
    if (error == std::errc() && number > 0)
        for (const Unit& known : kUnits)
            if (known.name == unit && number <= std::numeric_limits<std::int64_t>::max() / known.ms / 1'000'000)
                return std::chrono::milliseconds(number * known.ms);
    return Error{ErrorCode::InvalidArgument,
                 "\"" + std::string(text) + "\" is not a duration such as 500ms, 5s, 15m or 24h"};
}

} // namespace tekil
