// What the demonstration stands on: its banks' rows, payers, merchants and people; each is made once and kept.
#pragma once

#include "core/base/currency.h"
#include "core/base/result.h"
#include "core/db/connection.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tekil::sandbox {

struct DemoMerchant {
    std::string name;
    std::string apiKey;
};

struct DemoPayer {
    std::int64_t accountId = 0;
    Currency currency;
};

// Where the two simulated banks listen: one that can be asked and repeats nothing, and an old one that can do neither,
// so that what it leaves unanswered stays Unknown until people or a settlement file end it.
struct DemoBanks {
    std::string modern;
    std::string old;
};

struct DemoWorld {
    std::vector<DemoMerchant> merchants;
    std::vector<DemoPayer> payers;
};

// Makes what is missing. DIR/demo-logins and DIR/demo-merchants (both 0600, a line "name<TAB>role or
// nothing<TAB>secret" each) are written before the rows, so that a start that was cut off goes on where it stopped.
Result<DemoWorld> seedDemo(db::Connection& owner, const std::filesystem::path& directory, const DemoBanks& banks);

} // namespace tekil::sandbox
