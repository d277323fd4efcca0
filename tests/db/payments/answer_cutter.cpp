#include "tests/db/payments/answer_cutter.h"

#include <QtGlobal>

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <utility>

namespace tekil::test {

namespace {

constexpr const char* kSocketName = "/.s.PGSQL.5432";

sockaddr_un addressOf(const std::string& directory)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = directory + kSocketName;
    if (path.size() >= sizeof address.sun_path)
        qFatal("the socket's path is too long: %s", path.c_str());
    path.copy(address.sun_path, path.size());
    return address;
}

// What can be read now; nothing at the end of the stream.
std::optional<std::string> take(int socket)
{
    std::array<char, 65536> buffer{};
    const ssize_t count = read(socket, buffer.data(), buffer.size());
    if (count <= 0)
        return std::nullopt;
    return std::string(buffer.data(), static_cast<std::size_t>(count));
}

bool give(int socket, const std::string& bytes)
{
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t count = send(socket, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
        if (count <= 0)
            return false;
        done += static_cast<std::size_t>(count);
    }
    return true;
}

// Whether the server's bytes end with ReadyForQuery of an idle session: the transaction is over.
bool isReady(const std::string& answer)
{
    return answer.size() >= 6 && answer.compare(answer.size() - 6, 6, std::string("Z\0\0\0\5I", 6)) == 0;
}

} // namespace

AnswerCutter::AnswerCutter(std::string serverDirectory) : m_server(std::move(serverDirectory))
{
    std::string made = (std::filesystem::temp_directory_path() / "tekil-cut-XXXXXX").string();
    if (mkdtemp(made.data()) == nullptr)
        qFatal("no directory for the cutter");
    m_directory = made;
    m_listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_un address = addressOf(m_directory);
    if (bind(m_listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0
        || listen(m_listener, 64) != 0)
        qFatal("the cutter cannot listen");
    m_thread = std::thread([this] { serve(); });
}

AnswerCutter::~AnswerCutter()
{
    m_ending = true;
    m_thread.join();
    for (std::thread& connection : m_connections)
        connection.join();
    close(m_listener);
    std::filesystem::remove_all(m_directory);
}

void AnswerCutter::arm(const std::string& statement)
{
    const std::lock_guard lock(m_mutex);
    m_armed = statement;
}

void AnswerCutter::serve()
{
    while (!m_ending) {
        pollfd waiting{m_listener, POLLIN, 0};
        if (poll(&waiting, 1, 20) <= 0)
            continue;
        const int client = accept4(m_listener, nullptr, nullptr, SOCK_CLOEXEC);
        if (client >= 0)
            m_connections.emplace_back([this, client] { forward(client); });
    }
}

// A Bind message names its statement: 'B', length, portal "", statement.
bool AnswerCutter::isArmedFor(const std::string& request)
{
    const std::lock_guard lock(m_mutex);
    const bool found = !m_armed.empty() && request.size() > 6 && request.front() == 'B'
                       && request.compare(6, m_armed.size() + 1, m_armed + '\0') == 0;
    if (found)
        m_armed.clear();
    return found;
}

void AnswerCutter::forward(int client)
{
    const int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_un address = addressOf(m_server);
    bool open = connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    bool cutting = false;
    std::string kept;
    while (open && !m_ending) {
        std::array<pollfd, 2> waiting{{{client, POLLIN, 0}, {server, POLLIN, 0}}};
        if (poll(waiting.data(), waiting.size(), 20) <= 0)
            continue;
        if (waiting[0].revents != 0) {
            const auto request = take(client);
            open = request && give(server, *request);
            cutting = cutting || (open && isArmedFor(*request));
        }
        if (open && waiting[1].revents != 0) {
            const auto answer = take(server);
            open = answer.has_value();
            if (open && cutting) {
                kept += *answer;
                if (isReady(kept)) {
                    ++m_cuts;
                    break;
                }
            } else if (open) {
                open = give(client, *answer);
            }
        }
    }
    close(server);
    close(client);
}

} // namespace tekil::test
