// Whether the database still holds what it has confirmed: the instance's heartbeats are counted in its row, and one
// that remembers a later beat than its row tells knows that a failover has lost commits. It then has the operations
// that this engine last worked on, so that they can be written again and asked for.
#pragma once

#include "core/db/connection.h"
#include "core/payments/operation.h"

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace tekil::payments {

class CommitWatch {
public:
    explicit CommitWatch(Uuid instance) : m_instance(instance) {}

    // The instance's row is written, with these; what was remembered of it before is over.
    void registered(std::int64_t beats, std::int64_t heartbeatUs);
    bool isRegistered() const;
    // The heartbeat: writes it and compares. Where commits were lost the statement has succeeded, and lost() says so.
    Result<void> beat(db::Connection& connection);
    // Also what a lane does after its connection was lost or a commit was in doubt, before it goes on.
    Result<void> settle(db::Connection& connection) { return isRegistered() ? beat(connection) : Result<void>(); }

    bool lost() const { return m_lost; }
    // A record that was there has gone: the same discovery by another way.
    void recordIsGone(Uuid operationId);
    std::string whatWasLost() const; // for the log and the case; the same for one loss
    // The loss has been made good.
    void recovered() { m_lost = false; }

    void remember(const OperationPtr& operation);
    std::vector<OperationPtr> remembered() const;
    // Whether nothing was forgotten since the row's last beat, so that what is remembered is all there can be.
    bool remembersAll() const;

private:
    static constexpr std::size_t kMaxRemembered = 20'000; // about 30 MB; beyond, the oldest are forgotten
    void lose(std::string what, std::optional<std::chrono::nanoseconds> since);

    const Uuid m_instance;
    std::atomic<bool> m_lost = false;
    mutable std::mutex m_mutex;
    bool m_registered = false;
    std::int64_t m_beats = 0;
    std::int64_t m_heartbeatUs = 0;
    std::chrono::nanoseconds m_beatAt{}; // bootTime() before the last beat that was confirmed
    std::string m_what;
    std::optional<std::chrono::nanoseconds> m_lostSince; // bootTime(); nothing: it is not known
    std::deque<OperationPtr> m_operations;
    std::optional<std::chrono::nanoseconds> m_forgotten; // bootTime() of the last one that was
};

} // namespace tekil::payments
