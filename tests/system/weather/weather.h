// What may go wrong in a run of random weather, decided before it begins from its seed alone: so the same seed brings
// the same events at the same instants. What meets them there differs from run to run, as threads and disks do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tekil::test {

enum class Event : std::uint8_t {
    KillEngine,   // and start it again when it is over
    PauseEngine,  // SIGSTOP, often past its leases
    CrashServer,  // PostgreSQL, immediate mode
    CutDatabase,  // one engine's way there: all connections reset
    DelayDatabase,
    StallDatabase,
    CutBank,      // one kind of bank's
    DelayBank,
    StallBank,
    SwallowBank,  // bytes are taken and never arrive
};

struct Happening {
    std::int64_t atMs = 0;
    std::int64_t untilMs = 0;
    Event event = Event::KillEngine;
    std::size_t target = 0; // which engine or bank
    std::int64_t delayMs = 0;

    std::string text() const;
};

// In the order of time, all over before `lengthMs`.
std::vector<Happening> scheduleOf(std::uint64_t seed, std::int64_t lengthMs);
// Nothing but a kill of one of two engines in turn, every ten seconds.
std::vector<Happening> killsEveryTenSeconds(std::int64_t lengthMs);

} // namespace tekil::test
