// A lane is one step of a payment's life on one thread with one connection: whatever has gathered while the last
// batch ran is the next batch. A lone request waits for nothing, and load makes batches large by itself.
#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/db/connection.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
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
    // How often a batch was tried again because somebody else was in the way (40001, 40P01, 55P03, 57014).
    std::uint64_t conflicts() const { return m_conflicts; }

protected:
    using Attempt = std::function<Result<void>(db::Connection&)>;

    // Runs an attempt on a batch of so many rows until it succeeds, fails for good, or patience or the lane ends.
    Result<void> persist(const Attempt& attempt, std::size_t rows);
    void enterThread() const; // names it, sets its niceness
    // Has statements planned anew each time that twice as many rows have been carried: a plan made while a table was
    // all but empty reads it whole for each row of a batch, and nothing else would end that before the next ANALYZE.
    void countCarried(std::size_t rows);

    LaneOptions m_options;
    std::atomic<bool> m_stopping = false;

private:
    Result<void> connect();
    void pause(std::chrono::milliseconds time);

    std::optional<db::Connection> m_connection;
    std::optional<std::chrono::steady_clock::time_point> m_awaySince;
    std::atomic<bool> m_connected = false;
    std::atomic<std::uint64_t> m_conflicts = 0;
    std::uint64_t m_carried = 0;
    std::uint64_t m_carriedAtPlan = 1;
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
            m_queue.push_back({std::move(item), bootTime()});
            if (m_queue.size() == 1)
                m_oldest = m_queue.front().since.count();
        }
        m_arrived.notify_one();
        return true;
    }

    // How long the oldest item waits that no batch has taken yet. From any thread, without a lock.
    std::chrono::nanoseconds delay(std::chrono::nanoseconds now) const
    {
        const std::chrono::nanoseconds oldest(m_oldest.load(std::memory_order_relaxed));
        return oldest.count() == 0 ? oldest : std::max(now - oldest, std::chrono::nanoseconds(0));
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
    struct Waiting {
        Item item;
        std::chrono::nanoseconds since;
    };

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
                takeInto(batch, m_options.maxBatch);
            }
            const std::size_t size = batch.size();
            process(batch);
            countCarried(size);
        }
        std::vector<Item> rest;
        {
            const std::lock_guard lock(m_mutex);
            takeInto(rest, m_queue.size());
        }
        if (!rest.empty() && m_options.runsRestOnStop && connected())
            process(rest);
        else if (!rest.empty())
            m_refuse(rest, Error{ErrorCode::Draining, "this engine is being shut down"});
    }

    // Under the mutex.
    void takeInto(std::vector<Item>& batch, std::size_t most)
    {
        const std::size_t size = std::min(m_queue.size(), most);
        batch.reserve(size);
        for (std::size_t i = 0; i < size; ++i) {
            batch.push_back(std::move(m_queue.front().item));
            m_queue.pop_front();
        }
        m_oldest = m_queue.empty() ? 0 : m_queue.front().since.count();
    }

    void process(std::vector<Item>& batch)
    {
        const auto done = persist([&](db::Connection& connection) { return m_run(connection, batch); }, batch.size());
        if (done)
            return;
        // One bad row never fails its neighbours, nor does one that somebody else holds: the batch is halved until the
        // row is alone.
        const ErrorCode code = done.error().code;
        const bool rowsFault = code == ErrorCode::ConstraintViolated || code == ErrorCode::SerializationFailed;
        if (rowsFault && batch.size() > 1 && !m_stopping) {
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
    std::deque<Waiting> m_queue;
    std::atomic<std::chrono::nanoseconds::rep> m_oldest = 0; // bootTime() when the first of the queue came; 0: empty
    std::thread m_thread; // last: it uses all of the above
};

} // namespace tekil::payments
