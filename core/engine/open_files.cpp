#include "core/engine/open_files.h"

#include <algorithm>
#include <sys/resource.h>

namespace tekil::engine {

std::size_t raiseOpenFiles()
{
    constexpr rlim_t kEnough = 1'048'576; // an endless limit makes some libraries walk through all of it
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return 1024;
    const rlim_t wanted = std::min(limit.rlim_max, kEnough);
    if (limit.rlim_cur < wanted) {
        const rlimit raised{wanted, limit.rlim_max};
        if (setrlimit(RLIMIT_NOFILE, &raised) == 0)
            limit.rlim_cur = wanted;
    }
    return static_cast<std::size_t>(limit.rlim_cur);
}

} // namespace tekil::engine
