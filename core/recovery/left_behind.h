// What an end that was not in order has left: told at the next start, before recovery goes on with it.
#pragma once

#include "core/base/uuid.h"
#include "core/db/connection.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tekil::recovery {

struct LeftBehind {
    std::vector<std::string> engines; // "tekild (pid 123)": of this computer, that did not end in order; told once
    std::int64_t claimed = 0;         // keys without their payment yet
    std::int64_t processing = 0;      // payments under way
    std::int64_t maybeSent = 0;       // of those, the ones that may have reached their provider
    std::int64_t unknown = 0;         // payments whose outcome is being asked for

    // "3 payments under way, of which 1 may have reached its provider; 2 unknown; 0 requests not yet accepted"
    std::string text() const;
};

// For a database whose engines all run on this computer. The living are the processes that use it now.
Result<LeftBehind> findLeftBehind(db::Connection& owner, const std::vector<std::int64_t>& living);

struct AfterRestore {
    std::int64_t claimed = 0;    // accepted now, as if they may have been sent
    std::int64_t kept = 0;       // of those, the ones that could not be accepted: left to people
    std::int64_t processing = 0; // to be asked about before anything is sent
    std::int64_t unknown = 0;
};
// Makes a restored database safe to go on with; see sql/routines/payments/after_restore.sql.
Result<AfterRestore> treatAfterRestore(db::Connection& owner);

} // namespace tekil::recovery
