// What an engine does beside payments, on a thread and a connection of its own: folds counters, checks the books.
// Any number of engines may: the database lets one at a time check, and none waits for another.
#pragma once

#include "core/base/uuid.h"
#include "core/http/loop.h"
#include "core/payments/lane.h"

#include <atomic>
#include <functional>
#include <string>

namespace tekil::engine {

class Upkeep {
public:
    Upkeep(http::Loop& loop, const std::string& dsn, Uuid instance, int niceness);

    void start();
    void stop(); // the loop has ended before

    // What does not hold in the books, as the last check found; -1 until this engine has made one.
    std::int64_t problems() const { return m_problems; }

private:
    using Work = std::function<Result<void>(db::Connection&)>;

    void look();
    Result<void> fold(db::Connection& connection);
    Result<void> checkBooks(db::Connection& connection);

    http::Loop& m_loop;
    const Uuid m_instance;
    int m_looks = 0;
    std::atomic<std::int64_t> m_problems = -1;
    std::atomic<bool> m_stopped = false;
    std::atomic<int> m_waiting = 0;
    payments::Lane<Work> m_lane;
};

} // namespace tekil::engine
