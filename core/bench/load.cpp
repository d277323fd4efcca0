#include "core/bench/load.h"

#include "core/bench/interrupt.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <charconv>
#include <memory>
#include <netinet/tcp.h>
#include <optional>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace tekil::bench {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::nanoseconds;

constexpr auto kLongestWait = std::chrono::milliseconds(100); // so that an interrupt is seen
constexpr int kEventsAtOnce = 256;
constexpr std::uint64_t kMaxBrokenInARow = 20'000;

sockaddr_in addressOf(Endpoint to)
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(to.port);
    address.sin_addr.s_addr = htonl(to.address);
    return address;
}

int connectTo(Endpoint to)
{
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    const int one = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    const sockaddr_in address = addressOf(to);
    if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 && errno != EINPROGRESS) {
        ::close(fd);
        return -1;
    }
    return fd;
}

struct Answer {
    int status = 0;
    std::string_view body;
    std::size_t size = 0;
    bool closes = false;
};

// A whole answer at the beginning of the bytes, where there is one. Our servers name the length of every body.
std::optional<Answer> readAnswer(std::string_view bytes)
{
    const std::size_t end = bytes.find("\r\n\r\n");
    if (end == std::string_view::npos || !bytes.starts_with("HTTP/1.1 ") || end < 12)
        return std::nullopt;
    const std::string_view head = bytes.substr(0, end + 2);
    Answer answer;
    std::from_chars(head.data() + 9, head.data() + 12, answer.status);
    constexpr std::string_view kLength = "\r\nContent-Length: ";
    std::size_t length = 0;
    if (const std::size_t at = head.find(kLength); at != std::string_view::npos)
        std::from_chars(head.data() + at + kLength.size(), head.data() + head.size(), length);
    answer.size = end + 4 + length;
    if (bytes.size() < answer.size)
        return std::nullopt;
    answer.body = bytes.substr(end + 4, length);
    answer.closes = head.find("\r\nConnection: close\r\n") != std::string_view::npos;
    return answer;
}

struct Link {
    int fd = -1;
    bool busy = false;
    bool watchesWriting = false;
    std::uint64_t number = 0;
    Clock::time_point began; // the scheduled instant, or that of sending
    std::string out, in;
    std::size_t written = 0;
};

class Generator {
public:
    explicit Generator(const LoadPlan& plan)
        : m_plan(plan), m_links(plan.connections), m_epoll(epoll_create1(EPOLL_CLOEXEC))
    {
        for (std::size_t i = m_links.size(); i > 0; --i)
            m_free.push_back(i - 1);
    }
    Generator(const Generator&) = delete;
    Generator& operator=(const Generator&) = delete;
    ~Generator()
    {
        for (const Link& link : m_links)
            if (link.fd >= 0)
                ::close(link.fd);
        ::close(m_epoll);
    }

    Result<LoadResult> run();

private:
    bool mayBegin(Clock::time_point now) const { return m_next < m_plan.atMost && now - m_start < m_plan.duration; }
    Clock::time_point instantOf(std::uint64_t number) const
    {
        constexpr std::int64_t kSecond = 1'000'000'000;
        const auto whole = static_cast<std::int64_t>(number);
        return m_start
               + nanoseconds(whole / m_plan.ratePerSecond * kSecond
                             + whole % m_plan.ratePerSecond * kSecond / m_plan.ratePerSecond);
    }
    void beginDue(Clock::time_point now);
    void begin(Clock::time_point instant);
    void flush(std::size_t index);
    void read(std::size_t index);
    void broke(std::size_t index);
    void free(std::size_t index);
    void watch(std::size_t index, bool writing);
    nanoseconds waitTime(Clock::time_point now) const;
    void countUnsent(Clock::time_point now);

    const LoadPlan& m_plan;
    std::vector<Link> m_links;
    std::vector<std::size_t> m_free; // the last one is used next, so that few connections serve a low rate
    int m_epoll;
    std::size_t m_busy = 0;
    std::uint64_t m_next = 0;
    std::uint64_t m_brokenInARow = 0;
    Clock::time_point m_start;
    Clock::time_point m_lastSent, m_lastAnswer;
    LoadResult m_result;
    char m_bytes[64 * 1024];
};

void Generator::watch(std::size_t index, bool writing)
{
    Link& link = m_links[index];
    epoll_event event{};
    event.events = EPOLLIN | (writing ? static_cast<std::uint32_t>(EPOLLOUT) : 0U);
    event.data.u64 = index;
    if (epoll_ctl(m_epoll, EPOLL_CTL_MOD, link.fd, &event) != 0 && errno == ENOENT)
        epoll_ctl(m_epoll, EPOLL_CTL_ADD, link.fd, &event);
    link.watchesWriting = writing;
}

void Generator::free(std::size_t index)
{
    m_links[index].busy = false;
    --m_busy;
    m_free.push_back(index);
}

void Generator::broke(std::size_t index)
{
    Link& link = m_links[index];
    if (link.fd >= 0)
        ::close(link.fd);
    link.fd = -1;
    link.in.clear();
    if (!link.busy)
        return;
    ++m_result.broken;
    ++m_brokenInARow;
    free(index);
}

void Generator::begin(Clock::time_point instant)
{
    const std::size_t index = m_free.back();
    m_free.pop_back();
    Link& link = m_links[index];
    link.busy = true;
    ++m_busy;
    link.number = m_next++;
    link.began = instant;
    link.out.clear();
    link.written = 0;
    m_plan.write(link.number, link.out);
    ++m_result.sent;
    if (link.fd < 0) {
        link.fd = connectTo(m_plan.to);
        link.watchesWriting = false;
        if (link.fd < 0) {
            broke(index);
            return;
        }
        watch(index, true);
        return;
    }
    flush(index);
}

void Generator::flush(std::size_t index)
{
    Link& link = m_links[index];
    while (link.written < link.out.size()) {
        const ssize_t count = send(link.fd, link.out.data() + link.written, link.out.size() - link.written,
                                   MSG_NOSIGNAL);
        if (count < 0 && (errno == EAGAIN || errno == ENOTCONN)) {
            if (!link.watchesWriting)
                watch(index, true);
            return;
        }
        if (count < 0) {
            read(index); // a refusal may have come before the reset
            if (link.busy && link.fd >= 0)
                broke(index);
            return;
        }
        link.written += static_cast<std::size_t>(count);
    }
    if (link.watchesWriting)
        watch(index, false);
}

void Generator::read(std::size_t index)
{
    Link& link = m_links[index];
    const ssize_t count = recv(link.fd, m_bytes, sizeof m_bytes, 0);
    if (count < 0 && errno == EAGAIN)
        return;
    if (count <= 0) {
        broke(index);
        return;
    }
    std::string_view bytes(m_bytes, static_cast<std::size_t>(count));
    if (!link.in.empty()) {
        link.in.append(bytes);
        bytes = link.in;
    }
    const auto answer = link.busy ? readAnswer(bytes) : std::nullopt;
    if (!answer) {
        if (link.in.empty())
            link.in.assign(bytes);
        return;
    }
    m_lastAnswer = Clock::now();
    m_brokenInARow = 0;
    const auto us = std::chrono::duration_cast<std::chrono::microseconds>(m_lastAnswer - link.began).count();
    m_result.latenciesUs[answer->status].push_back(static_cast<std::uint32_t>(us));
    if (m_plan.onAnswer)
        m_plan.onAnswer(link.number, answer->status, answer->body);
    const bool closes = answer->closes || link.written < link.out.size();
    link.in.clear();
    free(index);
    if (closes)
        broke(index);
}

void Generator::beginDue(Clock::time_point now)
{
    while (!m_free.empty() && mayBegin(now) && m_brokenInARow <= kMaxBrokenInARow) {
        const Clock::time_point instant = m_plan.ratePerSecond > 0 ? instantOf(m_next) : now;
        if (instant > now || instant - m_start >= m_plan.duration)
            return;
        begin(instant);
        m_lastSent = now;
        if (m_plan.ratePerSecond == 0)
            now = Clock::now();
    }
}

nanoseconds Generator::waitTime(Clock::time_point now) const
{
    if (m_plan.ratePerSecond == 0 || m_free.empty() || !mayBegin(now))
        return kLongestWait;
    return std::clamp<nanoseconds>(instantOf(m_next) - now, nanoseconds(0), kLongestWait);
}

void Generator::countUnsent(Clock::time_point now)
{
    while (m_plan.ratePerSecond > 0 && m_next < m_plan.atMost && instantOf(m_next) - m_start < m_plan.duration
           && instantOf(m_next) <= now) {
        ++m_next;
        ++m_result.unsent;
    }
}

Result<LoadResult> Generator::run()
{
    m_start = m_lastSent = m_lastAnswer = Clock::now();
    bool halfTold = false;
    std::vector<epoll_event> events(kEventsAtOnce);
    std::optional<Clock::time_point> ended;
    while (true) {
        if (const auto on = goOn(); !on)
            return on.error();
        const auto now = Clock::now();
        if (!halfTold && m_plan.halfway && now - m_start > m_plan.duration / 2) {
            halfTold = true;
            m_plan.halfway();
        }
        beginDue(now);
        if (!mayBegin(now)) {
            ended = ended.value_or(now);
            if (m_busy == 0 || now - *ended > m_plan.patience)
                break;
        }
        if (m_brokenInARow > kMaxBrokenInARow)
            return Error{ErrorCode::IoFailed, "the server takes no connection any more"};
        const nanoseconds wait = waitTime(Clock::now());
        const timespec time{.tv_sec = wait.count() / 1'000'000'000, .tv_nsec = wait.count() % 1'000'000'000};
        const int count = epoll_pwait2(m_epoll, events.data(), kEventsAtOnce, &time, nullptr);
        for (int i = 0; i < count; ++i) {
            const auto index = static_cast<std::size_t>(events[static_cast<std::size_t>(i)].data.u64);
            const std::uint32_t what = events[static_cast<std::size_t>(i)].events;
            if ((what & EPOLLOUT) != 0 && m_links[index].fd >= 0)
                flush(index);
            if ((what & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0 && m_links[index].fd >= 0)
                read(index);
        }
    }
    countUnsent(Clock::now());
    m_result.broken += m_busy; // no answer within our patience
    for (auto& [status, latencies] : m_result.latenciesUs)
        m_result.statuses[status] = latencies.size();
    m_result.elapsed = m_lastAnswer - m_start;
    m_result.sending = m_lastSent - m_start;
    return std::move(m_result);
}

} // namespace

Result<Endpoint> Endpoint::fromUrl(std::string_view url)
{
    const Error wrong{ErrorCode::InvalidArgument,
                      "\"" + std::string(url) + "\" is not http://127.0.0.1:PORT: a measurement stays on this machine"};
    constexpr std::string_view kScheme = "http://";
    if (!url.starts_with(kScheme))
        return wrong;
    url.remove_prefix(kScheme.size());
    while (url.ends_with('/'))
        url.remove_suffix(1);
    const std::size_t colon = url.rfind(':');
    Endpoint endpoint;
    in_addr address{};
    if (colon == std::string_view::npos || inet_pton(AF_INET, std::string(url.substr(0, colon)).c_str(), &address) != 1)
        return wrong;
    endpoint.address = ntohl(address.s_addr);
    const auto [stop, error] = std::from_chars(url.data() + colon + 1, url.data() + url.size(), endpoint.port);
    if (error != std::errc() || stop != url.data() + url.size() || endpoint.port == 0 || endpoint.address >> 24 != 127)
        return wrong;
    return endpoint;
}

std::uint64_t LoadResult::answered() const
{
    std::uint64_t count = 0;
    for (const auto& [status, times] : statuses)
        count += times;
    return count;
}

std::uint64_t LoadResult::of(int status) const
{
    const auto found = statuses.find(status);
    return found == statuses.end() ? 0 : found->second;
}

Result<LoadResult> runLoad(const LoadPlan& plan)
{
    const auto generator = std::make_unique<Generator>(plan);
    return generator->run();
}

std::int64_t percentile(std::vector<std::uint32_t>& values, int perMille)
{
    if (values.empty())
        return 0;
    std::sort(values.begin(), values.end());
    const std::size_t rank = (values.size() * static_cast<std::size_t>(perMille) + 999) / 1000;
    return values[std::clamp<std::size_t>(rank, 1, values.size()) - 1];
}

IdleConnections::IdleConnections(Endpoint to, std::size_t count)
{
    for (std::size_t i = 0; i < count && !interrupted(); ++i)
        if (const int fd = connectTo(to); fd >= 0)
            m_sockets.push_back(fd);
}

IdleConnections::~IdleConnections()
{
    for (const int fd : m_sockets)
        ::close(fd);
}

std::size_t IdleConnections::open() const
{
    std::size_t count = 0;
    for (const int fd : m_sockets) {
        char byte = 0;
        // Nothing to read and no end: the server holds it. A refusal is bytes, a closed one an end.
        if (recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN)
            ++count;
    }
    return count;
}

} // namespace tekil::bench
