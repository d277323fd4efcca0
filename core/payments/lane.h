// A lane is one step of a payment's life on one thread with one connection: whatever has gathered while the last
// batch ran is the next batch. A lone request waits for nothing, and load makes batches large by itself.
#pragma once

#include "core/base/result.h"
#include "core/db/connection.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tekil::payments {

struct LaneOptions {
    std::string name; // of the thread and the connection, at most 15 characters count
    std::string dsn;
    int niceness = 0;
    std::size_t maxBatch = 512;    // rows in one statement: past this the gain is small and a lock lasts longer
    std::size_t capacity = 20'000; // items waiting; a full lane is an answer
    // How long after the database was lost a batch is still tried again; zero means until the lane's end.
    // Every step is fenced, so that doing it again after a lost answer finds it done.
    std::chrono::milliseconds patience{0};
    // Run on the connection after it was lost or a commit was in doubt, before anything is tried again.
    std::function<Result<void>(db::Connection&)> settle = {};
    bool runsRestOnStop = false; // what still waits when the lane ends is tried once more
};

// The part of a lane that does not depend on what it carries.
class LaneCore {
public:
    explicit LaneCore(LaneOptions options) : m_options(std::move(options)) {}

    bool connected() const { return m_connected; }

protected:
    using Attempt = std::function<Result<void>(db::Connection&)>;

    // Runs an attempt until it succeeds, fails for good, or patience or the lane ends.
    Result<void> persist(const Attempt& attempt);
    void enterThread() const; // names it, sets its niceness

    LaneOptions m_options;
    std::atomic<bool> m_stopping = false;

private:
    Result<void> connect();
    void pause(std::chrono::milliseconds time);

    std::optional<db::Connection> m_connection;
    std::optional<std::chrono::steady_clock::time_point> m_awaySince;
    std::atomic<bool> m_connected = false;
    bool m_unsettled = false;
};

template <class Item>
class Lane : public LaneCore {
public:
    // One attempt at a whole batch; it may be called again with the same items.
    using Run = std::function<Result<void>(db::Connection&, std::vector<Item>&)>;
    // Called for a row that failed alone, or for a batch whose patience ended.
    using Refuse = std::function<void(std::vector<Item>&, const Error&)>;

    Lane(LaneOptions options, Run run, Refuse refuse)
        : LaneCore(std::move(options)), m_run(std::move(run)), m_refuse(std::move(refuse)),
          m_thread([this] { serve(); })
    {
    }
    ~Lane() { stop(); }

    // False: the lane is full or has ended, and the item was not taken.
    [[nodiscard]] bool push(Item item)
    {
        {
            const std::lock_guard lock(m_mutex);
            if (m_queue.size() >= m_options.capacity || m_stopping)
                return false;
            m_queue.push_back(std::move(item));
        }
        m_arrived.notify_one();
        return true;
    }

    // Ends the thread after the batch that runs; what still waits is refused as Draining.
    void stop()
    {
        {
            const std::lock_guard lock(m_mutex);
            m_stopping = true;
        }
        m_arrived.notify_all();
        if (m_thread.joinable())
            m_thread.join();
    }

private:
    void serve()
    {
        enterThread();
        while (true) {
            std::vector<Item> batch;
            {
                std::unique_lock lock(m_mutex);
                m_arrived.wait(lock, [this] { return m_stopping || !m_queue.empty(); });
                if (m_stopping)
                    break;
                const std::size_t size = std::min(m_queue.size(), m_options.maxBatch);
                const auto end = m_queue.begin() + static_cast<std::ptrdiff_t>(size);
                batch.assign(std::make_move_iterator(m_queue.begin()), std::make_move_iterator(end));
                m_queue.erase(m_queue.begin(), end);
            }
            process(batch);
        }
        std::vector<Item> rest;
        {
            const std::lock_guard lock(m_mutex);
            rest.assign(std::make_move_iterator(m_queue.begin()), std::make_move_iterator(m_queue.end()));
            m_queue.clear();
        }
        if (!rest.empty() && m_options.runsRestOnStop && connected())
            process(rest);
        else if (!rest.empty())
            m_refuse(rest, Error{ErrorCode::Draining, "this engine is being shut down"});
    }

    void process(std::vector<Item>& batch)
    {
        const auto done = persist([&](db::Connection& connection) { return m_run(connection, batch); });
        if (done)
            return;
        // One bad row never fails its neighbours: the batch is halved until the row is alone.
        if (done.error().code == ErrorCode::ConstraintViolated && batch.size() > 1) {
            const auto middle = batch.begin() + static_cast<std::ptrdiff_t>(batch.size() / 2);
            std::vector<Item> second(std::make_move_iterator(middle), std::make_move_iterator(batch.end()));
            batch.erase(middle, batch.end());
            process(batch);
            process(second);
            return;
        }
        m_refuse(batch, done.error());
    }

    Run m_run;
    Refuse m_refuse;
    std::mutex m_mutex;
    std::condition_variable m_arrived;
    std::deque<Item> m_queue;
    std::thread m_thread; // last: it uses all of the above
};

} // namespace tekil::payments
