// Runs a script in PostgreSQL's own pgbench against a site's database.
#pragma once

#include "core/bench/site.h"

namespace tekil::bench {

struct PgbenchRun {
    std::string script;
    int clients = 32;
    std::int64_t seconds = 10;
};

struct PgbenchResult {
    std::int64_t transactions = 0; // scripts run to their end
    std::int64_t milliTps = 0;     // thousandths of a script a second, as pgbench told
};

Result<PgbenchResult> runPgbench(const Site& site, const PgbenchRun& run);

} // namespace tekil::bench
