// Puts many payments into a site's tables by set-based statements, as the engine would have written them one by one.
#pragma once

#include "core/bench/payment_writer.h"

namespace tekil::bench {

struct Seeding {
    std::int64_t payments = 0;
    Keys keys = Keys::V7;
    // "ended": Completed or Failed; "mixed": some Unknown too; "open": left behind by an engine that died while it
    // sent.
    std::string_view mode = "ended";
    std::int64_t provider = 0;
};

// Then the tables are vacuumed, analysed and written out, so that what follows does not pay for it.
Result<void> seed(Site& site, const Seeding& seeding);

} // namespace tekil::bench
