// A session is one connection. It lives on its strand: whatever comes from another thread is dispatched there.
#include "core/http/server.h"

#include "core/base/check.h"
#include "core/base/fault.h"
#include "core/http/problem.h"
#include "core/http/request_reader.h"
#include "core/http/wire.h"

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <condition_variable>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace tekil::http {

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using SystemError = boost::system::error_code;
using Strand = asio::strand<asio::io_context::executor_type>;
using Socket = asio::basic_stream_socket<tcp, Strand>;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kLinger{1};             // for a client to read the last answer
constexpr std::size_t kLingerBytes = 1024 * 1024;      // what is read and thrown away meanwhile
constexpr std::size_t kRefusedConnections = 256;       // those beyond the limit that still get their 503
constexpr std::size_t kReadBytes = 16 * 1024;          // one buffer a thread: an idle connection holds none
constexpr std::size_t kMostEvicted = 64;               // at a time, so that a search pays for many
constexpr std::chrono::milliseconds kAcceptPause{100}; // when, say, no descriptor is left
constexpr std::chrono::seconds kTellPause{10};

ReaderLimits readerLimits(const ServerLimits& limits)
{
    return {limits.headerBytes, limits.headerLines, limits.bodyBytes};
}

// Who counts as one: an IPv4 address, or the 64 bits that one IPv6 customer has at least.
std::string placeOf(const asio::ip::address& address)
{
    if (address.is_v4())
        return address.to_string();
    const auto v6 = address.to_v6();
    if (v6.is_v4_mapped())
        return asio::ip::make_address_v4(asio::ip::v4_mapped, v6).to_string();
    const auto bytes = v6.to_bytes();
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size() / 2};
}

std::string textOf(const tcp::endpoint& endpoint)
{
    const std::string host = endpoint.address().to_string();
    const std::string port = std::to_string(endpoint.port());
    return endpoint.address().is_v6() ? "[" + host + "]:" + port : host + ":" + port;
}

} // namespace

struct Server::Impl : std::enable_shared_from_this<Server::Impl> {
    Impl(Loop& owner, ServerOptions given)
        : loop(owner), options(std::move(given)), acceptor(asio::make_strand(owner.context())),
          ticker(acceptor.get_executor())
    {
    }

    Result<void> listen(const tcp::endpoint& endpoint);
    void acceptNext();
    void acceptLater(const SystemError& ec);
    void admit(Socket socket);
    void makeRoom();
    void tick();
    std::shared_ptr<const TlsContext> tlsContext() const;
    std::vector<std::shared_ptr<Session>> all();
    void stopAccepting();
    void closeAll();

    Loop& loop;
    const ServerOptions options;
    asio::basic_socket_acceptor<tcp, Strand> acceptor;
    asio::basic_waitable_timer<Clock, asio::wait_traits<Clock>, Strand> ticker;
    tcp::endpoint bound;
    Clock::time_point toldAt; // of the acceptor's strand

    std::atomic<bool> draining = false;
    std::atomic<bool> stopping = false;
    std::atomic<int> inHandler = 0;
    std::atomic<std::uint64_t> accepted = 0, requests = 0, refused = 0, timedOut = 0, evicted = 0, handshakesFailed = 0,
                               acceptFailed = 0;

    mutable std::mutex mutex;
    std::condition_variable emptied;
    std::shared_ptr<const TlsContext> tls;
    // A session that is here has a place or not; those without one only say 503.
    std::unordered_map<Session*, bool> sessions;
    std::size_t places = 0;
    std::unordered_map<std::string, std::size_t> placesOfAddress;

    // Under the mutex.
    bool takePlace(const std::string& address);
    void giveBack(const std::string& address);
    void add(Session* session, bool placed) { sessions.emplace(session, placed); }
    // Not under it.
    void remove(Session* session);
    void placeAgain(Session* session);
};

class Session : public std::enable_shared_from_this<Session> {
public:
    Session(std::shared_ptr<Server::Impl> server, Socket socket, const tcp::endpoint& remote)
        : m_server(std::move(server)), m_socket(std::move(socket)), m_remote(remote),
          m_since(Clock::now().time_since_epoch().count())
    {
    }
    ~Session() { close(); }

    void start();
    void refuseConnection();
    std::string address() const { return placeOf(m_remote.address()); }
    // From any thread.
    bool mayBeEvicted() const { return !m_trusted && m_waiting; }
    Clock::rep since() const { return m_since; }
    void trust() { m_trusted = true; }
    void evict();
    void answer(Response response);
    void answerDropped();
    void cut(Responder::Cut how);
    void drain();
    void closeSoon();
    void expireIfDue(Clock::time_point now);

private:
    enum class Phase : std::uint8_t { Handshake, Idle, Head, Body, Handling, Writing, Lingering, Closed };
    enum class After : std::uint8_t { NextRequest, Body, Linger };

    const ServerLimits& limits() const { return m_server->options.limits; }
    void enter(Phase phase, Clock::duration timeout);
    void progress(std::size_t bytes);
    bool reads() const;
    void nextRequest();
    void read();
    void readable();
    void take(std::string_view bytes);
    void takeCiphertext(std::string_view bytes);
    void feed(std::string_view bytes);
    void handle();
    void refuse(ProblemType type, std::string_view detail);
    void write(std::string bytes, After after);
    void writeSome();
    void written();
    void sayGoodbye();
    void linger();
    void readAway();
    void expire();
    void close();

    std::shared_ptr<Server::Impl> m_server;
    Socket m_socket;
    const tcp::endpoint m_remote;

    std::unique_ptr<TlsChannel> m_tls;
    std::unique_ptr<RequestReader> m_reader; // while a request comes
    std::string m_pending; // read, but not parsed
    std::string m_out;
    std::size_t m_outDone = 0;
    std::size_t m_drained = 0;
    std::size_t m_phaseBytes = 0;
    Clock::time_point m_phaseStart;
    Clock::duration m_phaseTimeout{};
    Phase m_phase = Phase::Idle;
    After m_after = After::NextRequest;
    bool m_served = false; // a request has been answered
    bool m_keepAlive = false;
    bool m_oldClient = false;
    bool m_withBody = true;
    std::atomic<bool> m_trusted = false;
    std::atomic<bool> m_waiting = true; // the server waits for the client, not the client for us
    std::atomic<Clock::rep> m_since;
    std::atomic<Clock::rep> m_deadline = 0; // read by the ticker; 0: none
};

struct Responder::State {
    explicit State(std::shared_ptr<Session> owner) : session(std::move(owner)) {}
    ~State()
    {
        if (!answered.exchange(true))
            session->answerDropped();
    }

    std::shared_ptr<Session> session;
    std::atomic<bool> answered = false;
};

bool Responder::answer(Response response) const
{
    if (m_state->answered.exchange(true))
        return false;
    m_state->session->answer(std::move(response));
    return true;
}

void Responder::trust() const
{
    m_state->session->trust();
}

bool Responder::cut(Cut how) const
{
    if (m_state->answered.exchange(true))
        return false;
    m_state->session->cut(how);
    return true;
}

// ---- Session

void Session::start()
{
    if (const auto context = m_server->tlsContext())
        m_tls = std::make_unique<TlsChannel>(*context);
    asio::dispatch(m_socket.get_executor(), [self = shared_from_this()] {
        if (self->m_phase == Phase::Closed)
            return;
        SystemError ec;
        self->m_socket.non_blocking(true, ec);
        if (!self->m_tls)
            return self->nextRequest();
        self->enter(Phase::Handshake, self->limits().handshakeTimeout);
        self->read();
    });
}

void Session::refuseConnection()
{
    asio::dispatch(m_socket.get_executor(), [self = shared_from_this()] {
        if (self->m_phase == Phase::Closed)
            return;
        SystemError ec;
        self->m_socket.non_blocking(true, ec);
        // A handshake would be work for somebody who has no place.
        if (self->m_server->options.tls)
            return self->linger();
        self->refuse(ProblemType::Overloaded, "Too many connections: try again after Retry-After.");
    });
}

void Session::enter(Phase phase, Clock::duration timeout)
{
    m_phase = phase;
    m_phaseStart = Clock::now();
    m_phaseTimeout = timeout;
    m_phaseBytes = 0;
    m_since = m_phaseStart.time_since_epoch().count();
    m_waiting = phase != Phase::Handling;
    progress(0);
}

// The phase's time is over at its limit, or earlier where too few bytes came.
void Session::progress(std::size_t bytes)
{
    m_phaseBytes += bytes;
    if (m_phaseTimeout == Clock::duration::zero()) {
        m_deadline.store(0, std::memory_order_relaxed);
        return;
    }
    Clock::time_point end = m_phaseStart + m_phaseTimeout;
    if (m_phase == Phase::Head || m_phase == Phase::Body || m_phase == Phase::Writing) {
        const auto earned = std::chrono::milliseconds(m_phaseBytes * 1000 / limits().minimumRate);
        end = std::min(end, m_phaseStart + limits().slowGrace + earned);
    }
    m_deadline.store(end.time_since_epoch().count(), std::memory_order_relaxed);
}

bool Session::reads() const
{
    return m_phase == Phase::Handshake || m_phase == Phase::Idle || m_phase == Phase::Head || m_phase == Phase::Body;
}

void Session::nextRequest()
{
    enter(Phase::Idle, m_served ? limits().idleTimeout : limits().firstTimeout);
    if (m_server->draining) {
        sayGoodbye();
        return linger();
    }
    if (!m_pending.empty())
        feed({});
    else
        read();
}

// Waits without a buffer: most connections are idle most of the time.
void Session::read()
{
    m_socket.async_wait(Socket::wait_read, [self = shared_from_this()](const SystemError& ec) {
        if (!self->reads())
            return;
        if (ec)
            self->close();
        else
            self->readable();
    });
}

void Session::readable()
{
    thread_local std::array<char, kReadBytes> buffer;
    SystemError ec;
    const std::size_t size = m_socket.read_some(asio::buffer(buffer), ec);
    if (ec == asio::error::would_block || ec == asio::error::try_again)
        return read();
    if (ec)
        return close();
    if (m_tls)
        takeCiphertext({buffer.data(), size});
    else
        feed({buffer.data(), size});
}

void Session::takeCiphertext(std::string_view bytes)
{
    std::string plain;
    const TlsChannel::State state = m_tls->receive(bytes, plain);
    if (state == TlsChannel::State::Failed) {
        m_server->handshakesFailed.fetch_add(m_phase == Phase::Handshake ? 1 : 0, std::memory_order_relaxed);
        std::string last = m_tls->takeOutput(); // the alert
        if (m_tls->sawPlainHttp())
            last = responseBytes(problem(ProblemType::RequestInvalid, "This port speaks HTTPS: use https://."),
                                 Persistence::Close, true);
        m_tls.reset();
        return write(std::move(last), After::Linger);
    }
    if (m_phase == Phase::Handshake) {
        std::string out = m_tls->takeOutput();
        if (state == TlsChannel::State::Open)
            enter(Phase::Idle, limits().firstTimeout);
        SystemError ec; // a flight of a handshake fits into an empty socket buffer; where it does not, the peer is odd
        if (!out.empty() && (m_socket.write_some(asio::buffer(out), ec) != out.size() || ec))
            return close();
    }
    if (!plain.empty())
        return feed(plain);
    if (state == TlsChannel::State::PeerClosed)
        return close();
    read();
}

void Session::feed(std::string_view bytes)
{
    if (m_phase == Phase::Idle) {
        enter(Phase::Head, limits().headerTimeout);
        m_reader = std::make_unique<RequestReader>(readerLimits(limits()));
    }
    progress(bytes.size());
    if (!m_pending.empty()) {
        m_pending += bytes;
        bytes = m_pending;
    }
    RequestReader::State state = m_reader->read(bytes);
    bool wantsContinue = false;
    if (state == RequestReader::State::HeadDone) {
        enter(Phase::Body, limits().bodyTimeout);
        wantsContinue = m_reader->expectsContinue() && bytes.empty();
        state = m_reader->read(bytes);
    }
    m_pending = std::string(bytes);
    if (state == RequestReader::State::Refused) {
        const Refusal refusal = m_reader->refusal();
        return refuse(refusal.type, refusal.detail);
    }
    if (state == RequestReader::State::Done)
        handle();
    else if (wantsContinue)
        write("HTTP/1.1 100 Continue\r\n\r\n", After::Body);
    else
        read();
}

void Session::handle()
{
    m_keepAlive = m_reader->keepAlive();
    m_oldClient = m_reader->httpVersion() < 11;
    Request request = m_reader->take();
    m_reader.reset();
    m_withBody = request.method != "HEAD";
    if (!parseTarget(request.target, request.path, request.query))
        return refuse(ProblemType::RequestInvalid, "The request target is not a path with valid percent escapes.");
    request.remote = textOf(m_remote);
    enter(Phase::Handling, Clock::duration::zero());

    // Server's destructor waits for handlers that it sees here; later ones see that it is stopping.
    m_server->inHandler.fetch_add(1);
    if (!m_server->stopping) {
        m_server->requests.fetch_add(1, std::memory_order_relaxed);
        auto state = std::make_shared<Responder::State>(shared_from_this());
        m_server->options.handler(std::move(request), Responder(std::move(state)));
    }
    if (m_server->inHandler.fetch_sub(1) == 1 && m_server->stopping)
        m_server->inHandler.notify_all();
}

void Session::answer(Response response)
{
    if (!headersAreClean(response.headers)) {
        spdlog::error("http: an answer had a malformed header and was replaced by 500");
        response = problem(ProblemType::Internal, "The answer could not be written.");
    }
    // The flags were set before the handler was called and stay until it has answered.
    const bool closes = !m_keepAlive || m_server->draining;
    const Persistence persistence = closes        ? Persistence::Close
                                    : m_oldClient ? Persistence::KeepAliveOldClient
                                                  : Persistence::KeepAlive;
    std::string bytes = responseBytes(response, persistence, m_withBody);
    asio::dispatch(m_socket.get_executor(), [self = shared_from_this(), bytes = std::move(bytes), closes]() mutable {
        if (self->m_phase == Phase::Handling)
            self->write(std::move(bytes), closes ? After::Linger : After::NextRequest);
    });
}

void Session::answerDropped()
{
    if (m_server->stopping) // its connections are closed, and the loop may be gone any moment
        return;
    spdlog::error("http: a request was dropped without an answer");
    answer(problem(ProblemType::Internal, "The request was dropped inside the server: send it with the same key."));
}

void Session::cut(Responder::Cut how)
{
    asio::dispatch(m_socket.get_executor(), [self = shared_from_this(), how] {
        SystemError ec;
        self->m_tls.reset(); // no goodbye
        if (how == Responder::Cut::Reset)
            self->m_socket.set_option(asio::socket_base::linger(true, 0), ec);
        self->close();
    });
}

// A refusal of the server itself ends the connection: where the next request would begin is not certain.
void Session::refuse(ProblemType type, std::string_view detail)
{
    m_server->refused.fetch_add(1, std::memory_order_relaxed);
    m_reader.reset();
    m_pending = {};
    write(responseBytes(problem(type, detail), Persistence::Close, true), After::Linger);
}

void Session::write(std::string bytes, After after)
{
    enter(Phase::Writing, limits().writeTimeout);
    m_after = after;
    if (m_tls) {
        m_tls->send(bytes);
        if (after == After::Linger)
            m_tls->close();
        bytes = m_tls->takeOutput();
    }
    m_out = std::move(bytes);
    m_outDone = 0;
    if (m_out.empty())
        written();
    else
        writeSome();
}

void Session::writeSome()
{
    m_socket.async_write_some(asio::buffer(m_out.data() + m_outDone, m_out.size() - m_outDone),
                              [self = shared_from_this()](const SystemError& ec, std::size_t size) {
                                  if (self->m_phase != Phase::Writing)
                                      return;
                                  if (ec)
                                      return self->close();
                                  self->m_outDone += size;
                                  self->progress(size);
                                  if (self->m_outDone < self->m_out.size())
                                      self->writeSome();
                                  else
                                      self->written();
                              });
}

void Session::written()
{
    m_out = {};
    m_outDone = 0;
    fault::at(fault::ReplyAfter);
    switch (m_after) {
    case After::NextRequest:
        m_served = true;
        nextRequest();
        break;
    case After::Body:
        enter(Phase::Body, limits().bodyTimeout);
        read();
        break;
    case After::Linger: linger(); break;
    }
}

// TLS's close_notify, where nothing else is being written: what was cut off in the middle has no end.
void Session::sayGoodbye()
{
    if (!m_tls || m_phase == Phase::Writing)
        return;
    m_tls->close();
    const std::string bytes = m_tls->takeOutput();
    SystemError ec;
    if (!bytes.empty())
        m_socket.write_some(asio::buffer(bytes), ec);
}

// A close with unread bytes would reset the connection and could destroy the answer on its way.
void Session::linger()
{
    enter(Phase::Lingering, kLinger);
    m_pending = {};
    SystemError ec;
    m_socket.shutdown(tcp::socket::shutdown_send, ec);
    readAway();
}

void Session::readAway()
{
    m_socket.async_wait(Socket::wait_read, [self = shared_from_this()](SystemError ec) {
        if (self->m_phase != Phase::Lingering)
            return;
        thread_local std::array<char, kReadBytes> buffer;
        if (!ec)
            self->m_drained += self->m_socket.read_some(asio::buffer(buffer), ec);
        const bool goesOn = !ec || ec == asio::error::would_block || ec == asio::error::try_again;
        if (!goesOn || self->m_drained > kLingerBytes)
            self->close();
        else
            self->readAway();
    });
}

void Session::drain()
{
    asio::dispatch(m_socket.get_executor(), [self = shared_from_this()] {
        if (self->m_phase == Phase::Idle || self->m_phase == Phase::Handshake)
            self->close();
    });
}

void Session::closeSoon()
{
    asio::dispatch(m_socket.get_executor(), [self = shared_from_this()] { self->close(); });
}

void Session::evict()
{
    asio::dispatch(m_socket.get_executor(), [self = shared_from_this()] {
        if (!self->mayBeEvicted()) // it has spoken meanwhile
            return self->m_server->placeAgain(self.get());
        self->m_server->evicted.fetch_add(1, std::memory_order_relaxed);
        self->close();
    });
}

void Session::expireIfDue(Clock::time_point now)
{
    const Clock::rep deadline = m_deadline.load(std::memory_order_relaxed);
    if (deadline == 0 || now.time_since_epoch().count() < deadline)
        return;
    asio::dispatch(m_socket.get_executor(), [self = shared_from_this(), now] {
        const Clock::rep current = self->m_deadline.load(std::memory_order_relaxed);
        if (current != 0 && now.time_since_epoch().count() >= current)
            self->expire();
    });
}

void Session::expire()
{
    SystemError ec;
    if (m_phase != Phase::Lingering)
        m_server->timedOut.fetch_add(1, std::memory_order_relaxed);
    if (m_phase == Phase::Head || m_phase == Phase::Body) {
        m_socket.cancel(ec); // the wait; its handler sees the new phase
        return refuse(ProblemType::RequestTimeout, "The request did not arrive in time: send it in one go.");
    }
    if (m_phase == Phase::Writing) // what the client does not take is not kept for it
        m_socket.set_option(asio::socket_base::linger(true, 0), ec);
    close();
}

void Session::close()
{
    if (m_phase == Phase::Closed)
        return;
    if (m_phase != Phase::Lingering)
        sayGoodbye();
    enter(Phase::Closed, Clock::duration::zero());
    SystemError ec;
    m_socket.close(ec);
    m_pending = {};
    m_out = {};
    m_server->remove(this);
}

// ---- Server

namespace {

// The tick is fine enough for the shortest time-out and never coarser than a second.
std::chrono::milliseconds tickOf(const ServerLimits& limits)
{
    using std::chrono::milliseconds;
    const milliseconds shortest = std::min({limits.handshakeTimeout, limits.firstTimeout, limits.headerTimeout,
                                            limits.bodyTimeout, limits.writeTimeout, limits.idleTimeout,
                                            limits.slowGrace});
    return std::clamp(shortest / 4, milliseconds(10), milliseconds(1000));
}

Result<tcp::endpoint> parseListen(std::string_view text)
{
    const Error invalid{ErrorCode::InvalidArgument, "listen address \"" + std::string(text)
                                                        + "\": write a numeric address and a port, such as "
                                                          "127.0.0.1:8080 or [::1]:8080"};
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos)
        return invalid;
    std::string_view host = text.substr(0, colon);
    const std::string_view portText = text.substr(colon + 1);
    if (host.starts_with('[') && host.ends_with(']'))
        host = host.substr(1, host.size() - 2);
    else if (host.find(':') != std::string_view::npos)
        return invalid;
    std::uint16_t port = 0;
    const auto [end, failed] = std::from_chars(portText.data(), portText.data() + portText.size(), port);
    SystemError ec;
    const auto address = asio::ip::make_address(std::string(host), ec);
    if (ec || failed != std::errc() || end != portText.data() + portText.size())
        return invalid;
    return tcp::endpoint(address, port);
}

} // namespace

Result<void> Server::Impl::listen(const tcp::endpoint& endpoint)
{
    SystemError ec;
    acceptor.open(endpoint.protocol(), ec);
    if (!ec)
        acceptor.set_option(asio::socket_base::reuse_address(true), ec);
    if (!ec)
        acceptor.bind(endpoint, ec);
    if (!ec)
        acceptor.listen(asio::socket_base::max_listen_connections, ec);
    if (!ec)
        bound = acceptor.local_endpoint(ec);
    if (!ec)
        return {};
    std::string detail = "cannot listen on " + textOf(endpoint) + ": ";
    if (ec == asio::error::address_in_use) {
        const std::string holder = holderOfPort(endpoint.port());
        detail += "the port is taken" + (holder.empty() ? "" : " by " + holder) + "; choose another or end it";
    } else {
        detail += ec.message();
    }
    return Error{ErrorCode::IoFailed, detail};
}

void Server::Impl::acceptNext()
{
    acceptor.async_accept(asio::make_strand(loop.context()),
                          [self = shared_from_this()](const SystemError& ec, Socket socket) {
                              if (!self->acceptor.is_open())
                                  return;
                              if (!ec)
                                  self->admit(std::move(socket));
                              else if (ec != asio::error::connection_aborted)
                                  return self->acceptLater(ec);
                              self->acceptNext();
                          });
}

// Without descriptors every further try fails at once: strangers give theirs back, and the next try comes after a
// pause.
void Server::Impl::acceptLater(const SystemError& ec)
{
    acceptFailed.fetch_add(1, std::memory_order_relaxed);
    const Clock::time_point now = Clock::now();
    if (now - toldAt >= kTellPause) {
        toldAt = now;
        spdlog::warn("http: no further connection can be taken: {}", ec.message());
    }
    makeRoom();
    loop.after(kAcceptPause, [self = shared_from_this()] {
        asio::dispatch(self->acceptor.get_executor(), [self] {
            if (self->acceptor.is_open())
                self->acceptNext();
        });
    });
}

void Server::Impl::admit(Socket socket)
{
    SystemError ec;
    const tcp::endpoint remote = socket.remote_endpoint(ec);
    if (ec)
        return;
    socket.set_option(tcp::no_delay(true), ec);
    accepted.fetch_add(1, std::memory_order_relaxed);
    bool full = false;
    {
        const std::lock_guard lock(mutex);
        full = places >= options.limits.connections;
    }
    if (full)
        makeRoom();
    const auto session = std::make_shared<Session>(shared_from_this(), std::move(socket), remote);
    bool placed = false;
    {
        const std::lock_guard lock(mutex);
        placed = takePlace(session->address());
        if (!placed && sessions.size() - places >= kRefusedConnections)
            return;
        add(session.get(), placed);
    }
    if (placed)
        session->start();
    else
        session->refuseConnection();
}

bool Server::Impl::takePlace(const std::string& address)
{
    if (places >= options.limits.connections)
        return false;
    std::size_t& ofAddress = placesOfAddress[address];
    if (options.limits.connectionsPerAddress != 0 && ofAddress >= options.limits.connectionsPerAddress)
        return false;
    ++ofAddress;
    ++places;
    return true;
}

void Server::Impl::giveBack(const std::string& address)
{
    --places;
    const auto found = placesOfAddress.find(address);
    if (found != placesOfAddress.end() && --found->second == 0)
        placesOfAddress.erase(found);
}

// Closes some of those who have not shown who they are: of the address that has most of them, the longest waiting
// first.
void Server::Impl::makeRoom()
{
    struct Stranger {
        std::shared_ptr<Session> session;
        std::string address;
        std::size_t share = 0;
        Clock::rep since = 0;
    };
    std::vector<Stranger> strangers; // let go outside the lock: a session's end takes it
    std::size_t chosen = 0;
    {
        const std::lock_guard lock(mutex);
        for (const auto& [session, placed] : sessions)
            if (placed && session->mayBeEvicted())
                if (auto alive = session->weak_from_this().lock())
                    strangers.push_back({alive, alive->address(), 0, alive->since()});
        std::unordered_map<std::string, std::size_t> shares;
        for (const Stranger& stranger : strangers)
            ++shares[stranger.address];
        for (Stranger& stranger : strangers)
            stranger.share = shares[stranger.address];
        const std::size_t most = std::clamp<std::size_t>(options.limits.connections / 128, 1, kMostEvicted);
        const auto end = strangers.begin() + static_cast<std::ptrdiff_t>(std::min(most, strangers.size()));
        std::partial_sort(strangers.begin(), end, strangers.end(), [](const Stranger& a, const Stranger& b) {
            return a.share != b.share ? a.share > b.share : a.since < b.since;
        });
        for (auto stranger = strangers.begin(); stranger != end; ++stranger) {
            sessions[stranger->session.get()] = false;
            giveBack(stranger->address);
        }
        chosen = std::min(most, strangers.size());
    }
    for (std::size_t i = 0; i < chosen; ++i)
        strangers[i].session->evict();
}

void Server::Impl::placeAgain(Session* session)
{
    const std::lock_guard lock(mutex);
    const auto found = sessions.find(session);
    if (found == sessions.end() || found->second)
        return;
    found->second = true;
    ++places; // for once beyond the limit
    ++placesOfAddress[session->address()];
}

void Server::Impl::tick()
{
    ticker.expires_after(tickOf(options.limits));
    ticker.async_wait([weak = weak_from_this()](const SystemError& ec) {
        const auto self = weak.lock();
        if (ec || !self || self->stopping)
            return;
        const Clock::time_point now = Clock::now();
        for (const auto& session : self->all())
            session->expireIfDue(now);
        self->tick();
    });
}

void Server::Impl::remove(Session* session)
{
    const std::lock_guard lock(mutex);
    const auto found = sessions.find(session);
    if (found == sessions.end())
        return;
    if (found->second)
        giveBack(session->address());
    sessions.erase(found);
    if (sessions.empty())
        emptied.notify_all();
}

std::shared_ptr<const TlsContext> Server::Impl::tlsContext() const
{
    const std::lock_guard lock(mutex);
    return tls;
}

std::vector<std::shared_ptr<Session>> Server::Impl::all()
{
    std::vector<std::shared_ptr<Session>> out;
    const std::lock_guard lock(mutex);
    out.reserve(sessions.size());
    for (const auto& [session, placed] : sessions)
        if (auto alive = session->weak_from_this().lock()) // a session that is being destroyed waits for the mutex
            out.push_back(std::move(alive));
    return out;
}

void Server::Impl::stopAccepting()
{
    asio::dispatch(acceptor.get_executor(), [self = shared_from_this()] {
        SystemError ec;
        self->acceptor.close(ec);
    });
}

void Server::Impl::closeAll()
{
    for (const auto& session : all())
        session->closeSoon();
}

Server::Server(std::shared_ptr<Impl> impl) : m_impl(std::move(impl)) {}

Result<std::unique_ptr<Server>> Server::start(Loop& loop, ServerOptions options)
{
    TEKIL_CHECK(options.handler);
    const auto endpoint = parseListen(options.listen);
    if (!endpoint)
        return endpoint.error();
    auto impl = std::make_shared<Impl>(loop, std::move(options));
    if (impl->options.tls) {
        auto context = TlsContext::load(*impl->options.tls);
        if (!context)
            return context.error();
        impl->tls = *std::move(context);
    }
    if (const auto listening = impl->listen(*endpoint); !listening)
        return listening.error();
    asio::dispatch(impl->acceptor.get_executor(), [impl] {
        impl->acceptNext();
        impl->tick();
    });
    return std::unique_ptr<Server>(new Server(std::move(impl)));
}

Server::~Server()
{
    TEKIL_CHECK(!m_impl->loop.runsHere());
    m_impl->draining = true;
    m_impl->stopping = true;
    m_impl->stopAccepting();
    m_impl->closeAll();
    for (int running = m_impl->inHandler; running != 0; running = m_impl->inHandler)
        m_impl->inHandler.wait(running);
    asio::post(m_impl->acceptor.get_executor(), [impl = m_impl] { impl->ticker.cancel(); });
}

std::string Server::address() const
{
    return textOf(m_impl->bound);
}

std::string Server::url() const
{
    return (m_impl->options.tls ? "https://" : "http://") + address();
}

std::uint16_t Server::port() const
{
    return m_impl->bound.port();
}

ServerCounts Server::counts() const
{
    const std::lock_guard lock(m_impl->mutex);
    return ServerCounts{.accepted = m_impl->accepted,
                        .requests = m_impl->requests,
                        .refused = m_impl->refused,
                        .timedOut = m_impl->timedOut,
                        .evicted = m_impl->evicted,
                        .handshakesFailed = m_impl->handshakesFailed,
                        .acceptFailed = m_impl->acceptFailed,
                        .open = m_impl->sessions.size()};
}

Result<void> Server::reloadTls()
{
    if (!m_impl->options.tls)
        return {};
    auto context = TlsContext::load(*m_impl->options.tls);
    if (!context)
        return context.error();
    const std::lock_guard lock(m_impl->mutex);
    m_impl->tls = *std::move(context);
    return {};
}

void Server::beginDrain()
{
    m_impl->draining = true;
    m_impl->stopAccepting();
    for (const auto& session : m_impl->all())
        session->drain();
}

bool Server::drain(std::chrono::milliseconds within)
{
    TEKIL_CHECK(!m_impl->loop.runsHere());
    beginDrain();
    std::unique_lock lock(m_impl->mutex);
    const bool clean = m_impl->emptied.wait_for(lock, within, [this] { return m_impl->sessions.empty(); });
    lock.unlock();
    m_impl->closeAll();
    return clean;
}

} // namespace tekil::http
