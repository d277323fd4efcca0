// The role "recovery": takes over what is due and hands it to the pipeline, and asks for what has failed once more.
#pragma once

#include "core/payments/pipeline.h"
#include "core/recovery/takeover_size.h"

#include <chrono>
#include <map>

namespace tekil::recovery {

class Recovery {
public:
    Recovery(http::Loop& loop, payments::Pipeline& pipeline, Uuid instance, std::chrono::milliseconds lease);

    // Looks for what is due, now and every half second until stop(); again at once while there is more than was taken.
    void start();
    void stop() { m_stopped = true; }

private:
    void look();
    void lookAgain(std::chrono::milliseconds pause);
    Result<void> takeOver(db::Connection& connection);
    // Failed payments that may have been captured all the same.
    Result<void> askFailed(db::Connection& connection);
    void goOn(const db::Rows& rows, int row);

    http::Loop& m_loop;
    payments::Pipeline& m_pipeline;
    const Uuid m_instance;
    const std::chrono::milliseconds m_lease;
    std::atomic<bool> m_stopped = false;
    struct Seen {
        TakeoverSize size;
        std::int64_t left = 0; // when it was measured
        std::int64_t leftLast = 0; // at the last look
    };
    std::map<std::int64_t, Seen> m_seen; // by provider; of the chores' thread
    std::chrono::nanoseconds m_lookedAt{};
};

} // namespace tekil::recovery
