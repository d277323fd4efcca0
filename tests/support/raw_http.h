// Plain sockets for tests of HTTP: a client that says exactly the bytes it is told, and a peer that misbehaves.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

namespace tekil::test {

class RawClient {
public:
    explicit RawClient(std::uint16_t port); // connects to 127.0.0.1
    explicit RawClient(int descriptor) : m_socket(descriptor) {}
    RawClient(int descriptor, std::uint16_t port); // connects a socket that was made before
    ~RawClient();
    RawClient(RawClient&& other) noexcept : m_socket(other.m_socket), m_buffer(std::move(other.m_buffer))
    {
        other.m_socket = -1;
    }

    bool isConnected() const { return m_socket >= 0; }
    void send(std::string_view bytes);
    // One whole HTTP message: head, and the body that Content-Length promises. Empty: none came in time.
    std::string message(std::chrono::milliseconds patience = std::chrono::seconds(5));
    // Everything until the peer closes. The flags tell how it ended.
    std::string untilClosed(std::chrono::milliseconds patience = std::chrono::seconds(5));
    bool wasClosed() const { return m_closed; }
    bool wasReset() const { return m_reset; }
    void closeWithReset();
    void close();

private:
    bool more(std::chrono::steady_clock::time_point until);

    int m_socket = -1;
    std::string m_buffer;
    bool m_closed = false;
    bool m_reset = false;
};

// Accepts connections one after another and gives each to `serve`, on its own thread; counts them.
class RawServer {
public:
    explicit RawServer(std::function<void(RawClient&)> serve);
    ~RawServer();

    std::uint16_t port() const { return m_port; }
    int connections() const { return m_connections; }

private:
    std::function<void(RawClient&)> m_serve;
    int m_listener = -1;
    std::uint16_t m_port = 0;
    std::atomic<int> m_connections = 0;
    std::atomic<bool> m_stopping = false;
    std::thread m_thread;
};

// A port on which nobody listens.
std::uint16_t freePort();

int statusOf(std::string_view message); // 0: not an HTTP answer
std::string bodyOf(std::string_view message);

} // namespace tekil::test
