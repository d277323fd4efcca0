// The role "retention": keys past their retention shrink to tombstones, and tombstones past theirs go. On a lane of its
// own, in small batches, so that no payment waits for it; several engines at once share the work.
#pragma once

#include "core/http/loop.h"
#include "core/payments/pipeline.h"

#include <atomic>
#include <string>

namespace tekil::payments {

class Retention {
public:
    Retention(http::Loop& loop, std::string dsn, int niceness);

    // Sweeps now and every few seconds until stop().
    void start() { sweep(); }
    void stop();

private:
    void sweep();
    Result<void> sweepOnce(db::Connection& connection);

    http::Loop& m_loop;
    std::atomic<bool> m_stopped = false;
    Lane<Chore> m_lane;
};

} // namespace tekil::payments
