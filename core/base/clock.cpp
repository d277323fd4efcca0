#include "core/base/clock.h"

#include "core/base/check.h"

#include <cstdio>
#include <ctime>

namespace tekil {

namespace {

timespec read(clockid_t clock)
{
    timespec now{};
    TEKIL_CHECK(clock_gettime(clock, &now) == 0);
    return now;
}

} // namespace

std::int64_t wallClockMs()
{
    return wallClockUs() / 1000;
}

std::int64_t wallClockUs()
{
    const timespec now = read(CLOCK_REALTIME);
    return static_cast<std::int64_t>(now.tv_sec) * 1'000'000 + now.tv_nsec / 1000;
}

std::chrono::nanoseconds bootTime()
{
    const timespec now = read(CLOCK_BOOTTIME);
    return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

std::string rfc3339(std::int64_t unixUs)
{
    std::int64_t seconds = unixUs / 1'000'000;
    std::int64_t micros = unixUs % 1'000'000;
    if (micros < 0) {
        micros += 1'000'000;
        --seconds;
    }
    const std::time_t time = static_cast<std::time_t>(seconds);
    std::tm parts{};
    gmtime_r(&time, &parts);
    char text[64];
    std::snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d.%06dZ", parts.tm_year + 1900, parts.tm_mon + 1,
                  parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, static_cast<int>(micros));
    return text;
}

} // namespace tekil
