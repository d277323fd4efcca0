// Whether there is a screen to show a window on; asked before Qt, which would abort instead of explaining.
#pragma once

#include <optional>
#include <string>

namespace tekil::console {

// Nothing where a window can be shown; else one line that says what is missing.
std::optional<std::string> missingDisplay();

} // namespace tekil::console
