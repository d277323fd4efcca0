// A connection that only listens: waits for NOTIFY, a time-out, or a call from another thread. NOTIFY is a mere
// wake-up that may be lost; whoever waits here polls as well.
#pragma once

#include "core/db/connection.h"

#include <chrono>

namespace tekil::db {

class Listener {
public:
    static Result<Listener> open(std::string_view conninfo, std::vector<std::string> channels,
                                 ConnectionSettings settings = {});
    Listener(Listener&& other) noexcept;
    Listener& operator=(Listener&&) = delete;
    ~Listener();

    // Returns what arrived: empty after the time-out or a wake(). DatabaseUnavailable once the connection broke.
    Result<std::vector<Notification>> wait(std::chrono::milliseconds timeout);
    // Ends the present wait, or the next one. From any thread.
    void wake();
    // Connects and listens anew. What was notified in between is lost: poll afterwards.
    Result<void> reconnect();

private:
    Listener(Connection connection, std::vector<std::string> channels, int wakeFd);
    Result<void> listen();

    Connection m_connection;
    std::vector<std::string> m_channels;
    int m_wakeFd;
};

} // namespace tekil::db
