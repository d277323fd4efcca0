// TEKIL_CHECK: the lane for bugs. It is always compiled in and ends the process with one clear line.
#pragma once

namespace tekil {

[[noreturn]] void checkFailed(const char* condition, const char* file, int line);

} // namespace tekil

#define TEKIL_CHECK(condition)                                                                                         \
    do {                                                                                                               \
        if (!(condition)) [[unlikely]]                                                                                 \
            ::tekil::checkFailed(#condition, __FILE__, __LINE__);                                                      \
    } while (false)
