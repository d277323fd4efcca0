// How many files, and so connections, this process may have open at once.
#pragma once

#include <cstddef>

namespace tekil::engine {

// Raises the limit to what the system allows without further rights, and tells it.
std::size_t raiseOpenFiles();

} // namespace tekil::engine
