#include "core/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace tekil {

void checkFailed(const char* condition, const char* file, int line)
{
    std::fprintf(stderr, "tekil: internal error: %s does not hold at %s:%d\n", condition, file, line);
    std::abort();
}

} // namespace tekil
