// After a failover that has lost commits: writes what this engine remembers again, has the provider asked for it, and
// only then lets the engine go on. Where the engine does not remember all of it, it waits for people.
#pragma once

#include "core/payments/pipeline.h"

namespace tekil::recovery {

class LostCommits {
public:
    LostCommits(payments::Pipeline& pipeline, Uuid instance) : m_pipeline(pipeline), m_instance(instance) {}

    // A chore of each second while the pipeline is halted. Each part of it may be done again.
    Result<void> step(db::Connection& connection);

private:
    Result<void> raiseAlarm(db::Connection& connection);

    payments::Pipeline& m_pipeline;
    const Uuid m_instance;
    bool m_isTold = false;
    bool m_isRestored = false;
    std::vector<Uuid> m_toAsk;
};

} // namespace tekil::recovery
