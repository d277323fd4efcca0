// Language, theme and time zone of the whole application; kept in its settings.
#pragma once

#include "ui/widgets/format.h"
#include "ui/widgets/theme.h"

#include <optional>

namespace tekil::ui {

// What the settings say, else the desktop's language and theme. `language` overrides for this run and is not kept.
void applyAppearance(std::optional<Language> language = std::nullopt);

void setLanguage(Language language);
void toggleTheme();
void toggleZone(); // UTC or the computer's

} // namespace tekil::ui
