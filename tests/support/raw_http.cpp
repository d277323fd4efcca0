#include "tests/support/raw_http.h"

#include <arpa/inet.h>
#include <cerrno>
#include <charconv>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace tekil::test {

namespace {

sockaddr_in loopback(std::uint16_t port)
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

std::uint16_t portOf(int socket)
{
    sockaddr_in address{};
    socklen_t size = sizeof address;
    getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
    return ntohs(address.sin_port);
}

// The length of the first whole message in `bytes`, or 0.
std::size_t wholeMessage(std::string_view bytes)
{
    const std::size_t head = bytes.find("\r\n\r\n");
    if (head == std::string_view::npos)
        return 0;
    constexpr std::string_view kLength = "\r\nContent-Length: ";
    std::size_t length = 0;
    const std::size_t at = bytes.substr(0, head).find(kLength);
    if (at != std::string_view::npos)
        std::from_chars(bytes.data() + at + kLength.size(), bytes.data() + head, length);
    return bytes.size() >= head + 4 + length ? head + 4 + length : 0;
}

} // namespace

RawClient::RawClient(std::uint16_t port) : RawClient(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), port) {}

RawClient::RawClient(int descriptor, std::uint16_t port) : m_socket(descriptor)
{
    const sockaddr_in address = loopback(port);
    if (::connect(m_socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        close();
}

RawClient::~RawClient()
{
    close();
}

void RawClient::send(std::string_view bytes)
{
    while (!bytes.empty()) {
        const ssize_t sent = ::send(m_socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0)
            return;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
}

bool RawClient::more(std::chrono::steady_clock::time_point until)
{
    using std::chrono::milliseconds;
    const auto left = std::chrono::duration_cast<milliseconds>(until - std::chrono::steady_clock::now());
    pollfd waiting{m_socket, POLLIN, 0};
    if (m_closed || left <= milliseconds(0) || ::poll(&waiting, 1, static_cast<int>(left.count())) <= 0)
        return false;
    char bytes[16 * 1024];
    const ssize_t got = ::recv(m_socket, bytes, sizeof bytes, 0);
    m_closed = got <= 0;
    m_reset = got < 0 && errno == ECONNRESET;
    if (got > 0)
        m_buffer.append(bytes, static_cast<std::size_t>(got));
    return got > 0;
}

std::string RawClient::message(std::chrono::milliseconds patience)
{
    const auto until = std::chrono::steady_clock::now() + patience;
    while (wholeMessage(m_buffer) == 0)
        if (!more(until))
            return {};
    const std::size_t size = wholeMessage(m_buffer);
    std::string out = m_buffer.substr(0, size);
    m_buffer.erase(0, size);
    return out;
}

std::string RawClient::untilClosed(std::chrono::milliseconds patience)
{
    const auto until = std::chrono::steady_clock::now() + patience;
    while (more(until)) {}
    return std::exchange(m_buffer, {});
}

void RawClient::closeWithReset()
{
    const linger now{1, 0};
    setsockopt(m_socket, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    close();
}

void RawClient::close()
{
    if (m_socket >= 0)
        ::close(std::exchange(m_socket, -1));
}

RawServer::RawServer(std::function<void(RawClient&)> serve)
    : m_serve(std::move(serve)), m_listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
{
    const sockaddr_in address = loopback(0);
    ::bind(m_listener, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    ::listen(m_listener, SOMAXCONN);
    m_port = portOf(m_listener);
    m_thread = std::thread([this] {
        while (!m_stopping) {
            const int accepted = ::accept(m_listener, nullptr, nullptr);
            if (accepted < 0)
                return;
            RawClient peer(accepted);
            if (m_stopping)
                return;
            ++m_connections;
            m_serve(peer);
        }
    });
}

RawServer::~RawServer()
{
    m_stopping = true;
    ::shutdown(m_listener, SHUT_RDWR);
    m_thread.join();
    ::close(m_listener);
}

std::uint16_t freePort()
{
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in address = loopback(0);
    ::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    const std::uint16_t port = portOf(socket);
    ::close(socket);
    return port;
}

int statusOf(std::string_view message)
{
    constexpr std::string_view kStart = "HTTP/1.1 ";
    int status = 0;
    if (message.starts_with(kStart) && message.size() > kStart.size() + 3)
        std::from_chars(message.data() + kStart.size(), message.data() + kStart.size() + 3, status);
    return status;
}

std::string bodyOf(std::string_view message)
{
    const std::size_t head = message.find("\r\n\r\n");
    return head == std::string_view::npos ? std::string() : std::string(message.substr(head + 4));
}

} // namespace tekil::test
