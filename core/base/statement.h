// An SQL text with the name under which logs, timings and prepared statements know it.
#pragma once

#include <string_view>

namespace tekil::sql {

// One file of sql/queries or sql/console. The name is "<noun>.<file>".
struct Statement {
    std::string_view name;
    std::string_view text;
};

// One file of sql/migrations. The checksum is the SHA-256 of its bytes, in hex.
struct Migration {
    int version;
    std::string_view name;
    std::string_view checksum;
    std::string_view text;
};

// One file of sql/routines, in an order in which each finds what it needs.
struct Routine {
    std::string_view name;
    std::string_view text;
};

} // namespace tekil::sql
