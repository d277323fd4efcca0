// The engine's own four statements of a payment's life, run one by one for one payment: what the engine has to do at
// the least, without HTTP, threads and the bank.
#pragma once

#include "core/bench/site.h"

namespace tekil::bench {

class Steps {
public:
    // With the session settings of the engine's lanes.
    static Result<Steps> connect(const Site& site);

    // A whole life, captured; how long its four statements took.
    Result<std::chrono::nanoseconds> run();

private:
    Steps(const Site& site, db::Connection connection);

    const Site& m_site;
    db::Connection m_connection;
    const Uuid m_instance = Uuid::next();
    std::int64_t m_invoice;
    std::size_t m_next = 0;
};

// The same statements as a pgbench script, each a transaction of its own.
std::string stepsScript(const std::string& instance);
// The session settings of the engine's lanes, as PGOPTIONS.
std::string laneOptions();

} // namespace tekil::bench
