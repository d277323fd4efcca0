#include "core/db/listener.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>

namespace tekil::db {

namespace {

std::string quotedName(std::string_view name)
{
    std::string out = "\"";
    for (const char c : name)
        out += c == '"' ? std::string("\"\"") : std::string(1, c);
    return out + '"';
}

} // namespace

Result<Listener> Listener::open(std::string_view conninfo, std::vector<std::string> channels,
                                ConnectionSettings settings)
{
    Result<Connection> connection = Connection::open(conninfo, std::move(settings));
    if (!connection)
        return connection.error();
    const int wakeFd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (wakeFd < 0)
        return Error{ErrorCode::IoFailed, "no event descriptor is left for this process"};
    Listener listener(std::move(*connection), std::move(channels), wakeFd);
    if (Result<void> listening = listener.listen(); !listening)
        return listening.error();
    return listener;
}

Listener::Listener(Connection connection, std::vector<std::string> channels, int wakeFd)
    : m_connection(std::move(connection)), m_channels(std::move(channels)), m_wakeFd(wakeFd)
{
}

Listener::Listener(Listener&& other) noexcept
    : m_connection(std::move(other.m_connection)), m_channels(std::move(other.m_channels)),
      m_wakeFd(std::exchange(other.m_wakeFd, -1))
{
}

Listener::~Listener()
{
    if (m_wakeFd >= 0)
        close(m_wakeFd);
}

Result<void> Listener::listen()
{
    std::string text;
    for (const std::string& channel : m_channels)
        text += "LISTEN " + quotedName(channel) + ";";
    if (Result<Rows> done = m_connection.exec(text, Mode::Reads); !done)
        return done.error();
    return {};
}

Result<void> Listener::reconnect()
{
    if (Result<void> connected = m_connection.reconnect(); !connected)
        return connected;
    return listen();
}

void Listener::wake()
{
    const std::uint64_t one = 1;
    // It fails only where the counter is full, and then the waiter wakes all the same.
    [[maybe_unused]] const ssize_t written = write(m_wakeFd, &one, sizeof one);
}

Result<std::vector<Notification>> Listener::wait(std::chrono::milliseconds timeout)
{
    const auto until = std::chrono::steady_clock::now() + timeout;
    for (;;) {
        Result<std::vector<Notification>> arrived = m_connection.takeNotifications();
        if (!arrived || !arrived->empty())
            return arrived;
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
        if (left.count() <= 0)
            return arrived;
        pollfd waiting[] = {{m_connection.socket(), POLLIN, 0}, {m_wakeFd, POLLIN, 0}};
        const int ready = poll(waiting, 2, static_cast<int>(left.count()));
        if (ready < 0 && errno != EINTR)
            return Error{ErrorCode::IoFailed, "waiting for the database failed"};
        if (ready > 0 && (waiting[1].revents & POLLIN) != 0) {
            std::uint64_t count = 0;
            [[maybe_unused]] const ssize_t drained = read(m_wakeFd, &count, sizeof count);
            return m_connection.takeNotifications();
        }
    }
}

} // namespace tekil::db
