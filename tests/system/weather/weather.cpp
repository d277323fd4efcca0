#include "tests/system/weather/weather.h"

#include <algorithm>
#include <array>
#include <random>

namespace tekil::test {

namespace {

struct Kind {
    Event event;
    const char* name;
    std::int64_t weight;
    std::size_t targets;
    std::int64_t shortestMs, longestMs;
};
constexpr std::array<Kind, 10> kKinds{{{Event::KillEngine, "kill engine", 30, 2, 100, 3'000},
                                       {Event::PauseEngine, "pause engine", 14, 2, 300, 4'500},
                                       {Event::CrashServer, "crash the server", 8, 1, 0, 0},
                                       {Event::CutDatabase, "cut the database off engine", 10, 2, 0, 1'500},
                                       {Event::DelayDatabase, "delay the database of engine", 8, 2, 500, 2'500},
                                       {Event::StallDatabase, "stall the database of engine", 8, 2, 300, 3'500},
                                       {Event::CutBank, "cut bank", 8, 4, 0, 2'000},
                                       {Event::DelayBank, "delay bank", 8, 4, 500, 3'000},
                                       {Event::StallBank, "stall bank", 8, 4, 300, 3'500},
                                       {Event::SwallowBank, "swallow bank", 6, 4, 300, 2'000}}};
constexpr std::int64_t kCalm = 900; // between two events, on average

// Not std::uniform_int_distribution: what that draws differs between libraries, and a seed is to mean one thing.
std::int64_t below(std::mt19937_64& random, std::int64_t limit)
{
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(limit));
}

const Kind& draw(std::mt19937_64& random)
{
    std::int64_t sum = 0;
    for (const Kind& kind : kKinds)
        sum += kind.weight;
    std::int64_t left = below(random, sum);
    for (const Kind& kind : kKinds) {
        if (left < kind.weight)
            return kind;
        left -= kind.weight;
    }
    return kKinds.front();
}

} // namespace

std::string Happening::text() const
{
    const auto* const kind = std::find_if(kKinds.begin(), kKinds.end(),
                                          [this](const Kind& each) { return each.event == event; });
    return std::to_string(atMs) + " ms: " + kind->name + " " + std::to_string(target) + " for "
           + std::to_string(untilMs - atMs) + " ms"
           + (delayMs > 0 ? " by " + std::to_string(delayMs) + " ms" : std::string());
}

std::vector<Happening> scheduleOf(std::uint64_t seed, std::int64_t lengthMs)
{
    std::mt19937_64 random(seed);
    std::vector<Happening> all;
    for (std::int64_t at = 500 + below(random, kCalm); at < lengthMs - 500; at += 100 + below(random, 2 * kCalm)) {
        const Kind& kind = draw(random);
        const std::int64_t lasts = kind.shortestMs + below(random, kind.longestMs - kind.shortestMs + 1);
        all.push_back({.atMs = at,
                       .untilMs = std::min(at + lasts, lengthMs),
                       .event = kind.event,
                       .target = static_cast<std::size_t>(below(random, static_cast<std::int64_t>(kind.targets))),
                       .delayMs = 20 + below(random, 280)});
    }
    return all;
}

std::vector<Happening> killsEveryTenSeconds(std::int64_t lengthMs)
{
    std::vector<Happening> all;
    for (std::int64_t at = 10'000; at < lengthMs; at += 10'000)
        all.push_back({.atMs = at,
                       .untilMs = at + 1'000,
                       .event = Event::KillEngine,
                       .target = static_cast<std::size_t>(at / 10'000 % 2),
                       .delayMs = 0});
    return all;
}

} // namespace tekil::test
