// What a fuzz target asserts: a property that does not hold ends the run, with the input kept by libFuzzer.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace tekil::fuzz {

inline void holds(bool property, const char* what)
{
    if (property)
        return;
    std::fprintf(stderr, "does not hold: %s\n", what);
    std::abort();
}

} // namespace tekil::fuzz
