// One poll loop over all pairs; a mutex guards what the test sets.
#include "tests/support/proxy.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

namespace tekil::test {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kMostHeld = 1 << 20;

[[noreturn]] void give(const char* what)
{
    std::fprintf(stderr, "proxy: %s: %s\n", what, std::strerror(errno));
    std::abort();
}

void unblock(int fd)
{
    ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
}

void reset(int fd)
{
    const linger hard{1, 0};
    ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    ::close(fd);
}

// -1 where it is not there.
int connectTo(const std::string& target)
{
    const auto colon = target.rfind(':');
    if (colon == std::string::npos) {
        const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_un to{};
        to.sun_family = AF_UNIX;
        target.copy(to.sun_path, sizeof to.sun_path - 1);
        if (::connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0)
            return fd;
        ::close(fd);
        return -1;
    }
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(std::atoi(target.c_str() + colon + 1)));
    ::inet_pton(AF_INET, target.substr(0, colon).c_str(), &to.sin_addr);
    if (::connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0)
        return fd;
    ::close(fd);
    return -1;
}

struct Chunk {
    std::string bytes;
    Clock::time_point due;
};

// One direction of one pair.
struct Flow {
    int from = -1, to = -1;
    std::deque<Chunk> held;
    std::size_t size = 0;
    bool ended = false;     // nothing more comes from there
    bool passedEnd = false; // and the other side was told
};

struct Rule {
    std::chrono::milliseconds delay{0};
    bool stalled = false, swallowing = false;
};

} // namespace

struct CuttingProxy::Impl {
    struct Pair {
        std::array<Flow, 2> flows; // 0: to the server, 1: to the client
        int client = -1, server = -1;
        bool isSilent = false; // accepted and never spoken to
    };

    explicit Impl(std::string to) : target(std::move(to)) {}

    void run();
    void accept();
    bool read(Flow& flow, const Rule& rule);
    bool write(Flow& flow, const Rule& rule, std::int64_t& carried);
    bool serve(Pair& pair);
    void close(Pair& pair, bool hard) const;
    int waitMs() const;
    void wake() const
    {
        const std::uint64_t one = 1;
        [[maybe_unused]] const auto written = ::write(woken, &one, sizeof one);
    }
    template <class Change>
    void change(const Change& apply)
    {
        {
            const std::lock_guard lock(mutex);
            apply();
        }
        wake();
    }
    void forWays(Way way, const std::function<void(std::size_t)>& apply)
    {
        if (way != Way::ToClient)
            apply(0);
        if (way != Way::ToServer)
            apply(1);
    }

    const std::string target;
    int listening = -1, woken = -1;
    std::uint16_t port = 0;
    mutable std::mutex mutex;
    std::array<Rule, 2> rules;
    std::array<std::int64_t, 2> carried{};
    std::list<Pair> pairs;
    bool refusing = false, silent = false, stopping = false;
    int accepted = 0;
    std::thread thread;
};

void CuttingProxy::Impl::close(Pair& pair, bool hard) const
{
    for (int* fd : {&pair.client, &pair.server})
        if (*fd >= 0) {
            hard ? reset(*fd) : static_cast<void>(::close(*fd));
            *fd = -1;
        }
}

void CuttingProxy::Impl::accept()
{
    const int client = ::accept4(listening, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (client < 0)
        return;
    ++accepted;
    if (refusing)
        return reset(client);
    Pair pair;
    pair.client = client;
    pair.isSilent = silent;
    if (!silent) {
        pair.server = connectTo(target);
        if (pair.server < 0)
            return reset(client);
        unblock(pair.server);
        pair.flows[0].from = pair.flows[1].to = client;
        pair.flows[0].to = pair.flows[1].from = pair.server;
    }
    pairs.push_back(std::move(pair));
}

// False: the pair is broken.
bool CuttingProxy::Impl::read(Flow& flow, const Rule& rule)
{
    std::array<char, 16'384> buffer{};
    while (!flow.ended && !rule.stalled && flow.size < kMostHeld) {
        const ssize_t got = ::recv(flow.from, buffer.data(), buffer.size(), 0);
        if (got < 0)
            return errno == EAGAIN || errno == EINTR;
        if (got == 0) {
            flow.ended = true;
        } else if (!rule.swallowing) {
            flow.held.push_back({{buffer.data(), static_cast<std::size_t>(got)}, Clock::now() + rule.delay});
            flow.size += static_cast<std::size_t>(got);
        }
    }
    return true;
}

bool CuttingProxy::Impl::write(Flow& flow, const Rule& rule, std::int64_t& count)
{
    while (!rule.stalled && !flow.held.empty() && flow.held.front().due <= Clock::now()) {
        std::string& bytes = flow.held.front().bytes;
        const ssize_t put = ::send(flow.to, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (put < 0)
            return errno == EAGAIN || errno == EINTR;
        count += put;
        flow.size -= static_cast<std::size_t>(put);
        bytes.erase(0, static_cast<std::size_t>(put));
        if (bytes.empty())
            flow.held.pop_front();
    }
    if (flow.ended && flow.held.empty() && !flow.passedEnd && !rule.stalled) {
        flow.passedEnd = true;
        ::shutdown(flow.to, SHUT_WR);
    }
    return true;
}

bool CuttingProxy::Impl::serve(Pair& pair)
{
    if (pair.isSilent)
        return true;
    for (std::size_t i = 0; i < 2; ++i)
        if (!read(pair.flows[i], rules[i]) || !write(pair.flows[i], rules[i], carried[i]))
            return false;
    return !(pair.flows[0].passedEnd && pair.flows[1].passedEnd);
}

int CuttingProxy::Impl::waitMs() const
{
    bool waits = false;
    for (const Pair& pair : pairs)
        for (const Flow& flow : pair.flows)
            waits = waits || !flow.held.empty();
    return waits ? 2 : 1'000;
}

void CuttingProxy::Impl::run()
{
    while (true) {
        std::vector<pollfd> waiting{{woken, POLLIN, 0}, {listening, POLLIN, 0}};
        int timeout = 0;
        {
            const std::lock_guard lock(mutex);
            if (stopping)
                return;
            for (const Pair& pair : pairs)
                for (std::size_t i = 0; i < 2; ++i)
                    if (const Flow& flow = pair.flows[i]; flow.from >= 0 && !flow.ended && !rules[i].stalled)
                        waiting.push_back({flow.from, POLLIN, 0});
            timeout = waitMs();
        }
        ::poll(waiting.data(), waiting.size(), timeout);
        std::uint64_t drained = 0;
        while (::read(woken, &drained, sizeof drained) > 0) {}
        const std::lock_guard lock(mutex);
        if ((waiting[1].revents & POLLIN) != 0)
            accept();
        for (auto pair = pairs.begin(); pair != pairs.end();) {
            if (serve(*pair)) {
                ++pair;
                continue;
            }
            close(*pair, false);
            pair = pairs.erase(pair);
        }
    }
}

CuttingProxy::CuttingProxy(std::string target) : m_impl(std::make_unique<Impl>(std::move(target)))
{
    Impl& impl = *m_impl;
    impl.woken = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    impl.listening = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    sockaddr_in here{};
    here.sin_family = AF_INET;
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof here;
    if (::bind(impl.listening, reinterpret_cast<sockaddr*>(&here), sizeof here) != 0
        || ::listen(impl.listening, 64) != 0
        || ::getsockname(impl.listening, reinterpret_cast<sockaddr*>(&here), &size) != 0)
        give("cannot listen");
    impl.port = ntohs(here.sin_port);
    impl.thread = std::thread([&impl] { impl.run(); });
}

CuttingProxy::~CuttingProxy()
{
    m_impl->change([this] { m_impl->stopping = true; });
    m_impl->thread.join();
    for (Impl::Pair& pair : m_impl->pairs)
        m_impl->close(pair, true);
    ::close(m_impl->listening);
    ::close(m_impl->woken);
}

std::uint16_t CuttingProxy::port() const
{
    return m_impl->port;
}

void CuttingProxy::pass()
{
    m_impl->change([this] {
        m_impl->rules = {};
        m_impl->refusing = m_impl->silent = false;
    });
}

void CuttingProxy::resetOpen()
{
    m_impl->change([this] {
        for (Impl::Pair& pair : m_impl->pairs)
            m_impl->close(pair, true);
        m_impl->pairs.clear();
    });
}

void CuttingProxy::cut()
{
    m_impl->change([this] { m_impl->refusing = true; });
    resetOpen();
}

void CuttingProxy::delay(std::chrono::milliseconds by, Way way)
{
    m_impl->change([&] { m_impl->forWays(way, [&](std::size_t i) { m_impl->rules[i].delay = by; }); });
}

void CuttingProxy::stall(Way way)
{
    m_impl->change([&] { m_impl->forWays(way, [&](std::size_t i) { m_impl->rules[i].stalled = true; }); });
}

void CuttingProxy::swallow(Way way)
{
    m_impl->change([&] { m_impl->forWays(way, [&](std::size_t i) { m_impl->rules[i].swallowing = true; }); });
}

void CuttingProxy::halfClose(Way way)
{
    m_impl->change([&] {
        for (Impl::Pair& pair : m_impl->pairs)
            m_impl->forWays(way, [&](std::size_t i) { pair.flows[i].ended = true; });
    });
}

void CuttingProxy::acceptNothing()
{
    m_impl->change([this] { m_impl->silent = true; });
}

int CuttingProxy::open() const
{
    const std::lock_guard lock(m_impl->mutex);
    return static_cast<int>(m_impl->pairs.size());
}

int CuttingProxy::accepted() const
{
    const std::lock_guard lock(m_impl->mutex);
    return m_impl->accepted;
}

std::int64_t CuttingProxy::carried(Way way) const
{
    const std::lock_guard lock(m_impl->mutex);
    std::int64_t sum = 0;
    m_impl->forWays(way, [&](std::size_t i) { sum += m_impl->carried[i]; });
    return sum;
}

} // namespace tekil::test
