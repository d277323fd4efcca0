// The role "recovery": takes over what is due and hands it to the pipeline.
#pragma once

#include "core/payments/pipeline.h"

#include <chrono>

namespace tekil::recovery {

class Recovery {
public:
    Recovery(http::Loop& loop, payments::Pipeline& pipeline, Uuid instance, std::chrono::milliseconds lease);

    // Looks for what is due, now and every half second until stop().
    void start();
    void stop() { m_stopped = true; }

private:
    void look();
    Result<void> takeOver(db::Connection& connection);
    void goOn(const db::Rows& rows, int row);

    http::Loop& m_loop;
    payments::Pipeline& m_pipeline;
    const Uuid m_instance;
    const std::chrono::milliseconds m_lease;
    std::atomic<bool> m_stopped = false;
};

} // namespace tekil::recovery
