// Ending early: SIGINT and SIGTERM set a flag that every loop of a measurement looks at, so that what was started ends.
#pragma once

#include "core/base/result.h"

namespace tekil::bench {

void catchInterrupts();
bool interrupted();
// Draining where the measurement was interrupted.
Result<void> goOn();

} // namespace tekil::bench
