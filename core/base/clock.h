// The clocks the engine reads, each for one purpose. Leases live by the database's clock, not by these.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace tekil {

// Milliseconds since 1970-01-01 UTC. May step; for ids and log lines only.
std::int64_t wallClockMs();

// Microseconds since 1970-01-01 UTC. May step; for texts that leave the process.
std::int64_t wallClockUs();

// Nanoseconds that never step back and go on while the machine sleeps (CLOCK_BOOTTIME): for deadlines.
std::chrono::nanoseconds bootTime();

// RFC 3339 in UTC with microseconds: 2026-03-05T14:07:09.118000Z.
std::string rfc3339(std::int64_t unixUs);

} // namespace tekil
