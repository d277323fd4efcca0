// A session is one connection. It lives on its strand: whatever comes from another thread is dispatched there.
#include "core/http/server.h"

#include "core/base/fault.h"
#include "core/http/problem.h"
#include "core/http/wire.h"

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <spdlog/spdlog.h>

#include <array>
#include <atomic>
#include <charconv>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <unordered_set>
#include <vector>

namespace tekil::http {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::ip::tcp;
using SystemError = boost::system::error_code;
using Strand = asio::strand<asio::io_context::executor_type>;
using Socket = asio::basic_stream_socket<tcp, Strand>;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kLinger{1};             // for a client to read the last answer
constexpr std::size_t kLingerBytes = 1024 * 1024;      // what is read and thrown away meanwhile
constexpr std::size_t kRefusedConnections = 256;       // those beyond the limit that still get their 503
constexpr std::size_t kReadBytes = 2048;               // holds a usual request; one such buffer per connection
constexpr std::size_t kChunkLineBytes = 4096;          // a chunk's header or the trailers
constexpr std::chrono::milliseconds kAcceptPause{100}; // when, say, no descriptor is left

// Parses straight into a Request. Trailers are read and dropped: they are no headers.
class RequestReader final : public beast::http::basic_parser<true> {
public:
    Request take() { return std::move(m_request); }
    const Request& request() const { return m_request; }
    int httpVersion() const { return m_version; } // 10 or 11

private:
    using View = beast::string_view;
    using Length = boost::optional<std::uint64_t>;

    void on_request_impl(beast::http::verb, View method, View target, int version, beast::error_code&) override
    {
        m_version = version;
        m_request.method.assign(method.data(), method.size());
        m_request.target.assign(target.data(), target.size());
    }
    void on_response_impl(int, View, int, beast::error_code&) override {}
    void on_field_impl(beast::http::field, View name, View value, beast::error_code&) override
    {
        if (!m_headersEnded)
            m_request.headers.add(std::string(name.data(), name.size()), std::string(value.data(), value.size()));
    }
    void on_header_impl(beast::error_code&) override { m_headersEnded = true; }
    void on_body_init_impl(const Length& length, beast::error_code&) override
    {
        if (length)
            m_request.body.reserve(static_cast<std::size_t>(*length)); // within the body limit
    }
    std::size_t on_body_impl(View part, beast::error_code&) override
    {
        m_request.body.append(part.data(), part.size());
        return part.size();
    }
    void on_chunk_header_impl(std::uint64_t, View, beast::error_code&) override {}
    std::size_t on_chunk_body_impl(std::uint64_t, View part, beast::error_code& ec) override
    {
        return on_body_impl(part, ec);
    }
    void on_finish_impl(beast::error_code&) override {}

    Request m_request;
    int m_version = 11;
    bool m_headersEnded = false;
};

struct Refusal {
    ProblemType type;
    std::string detail;
};

Refusal refusalOf(const beast::error_code& ec, const ServerLimits& limits)
{
    using beast::http::error;
    if (ec == error::header_limit)
        return {ProblemType::HeadersTooLarge,
                "Request line and headers may have " + std::to_string(limits.headerBytes) + " bytes together."};
    if (ec == error::body_limit)
        return {ProblemType::PayloadTooLarge,
                "The body may have at most " + std::to_string(limits.bodyBytes) + " bytes."};
    if (ec == error::bad_content_length || ec == error::multiple_content_length || ec == error::bad_transfer_encoding)
        return {ProblemType::RequestInvalid,
                "Content-Length and Transfer-Encoding contradict each other or themselves: send one of them, once."};
    if (ec == error::bad_version)
        return {ProblemType::RequestInvalid, "This server speaks HTTP/1.0 and HTTP/1.1."};
    if (ec == error::bad_chunk || ec == error::bad_chunk_extension)
        return {ProblemType::RequestInvalid, "The chunked body is not well-formed."};
    if (ec == error::bad_value || ec == error::bad_field || ec == error::bad_obs_fold)
        return {ProblemType::RequestInvalid, "A header line is not well-formed, or has a control character."};
    return {ProblemType::RequestInvalid, "The request is not well-formed HTTP."};
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
    void admit(Socket socket);
    void tick();
    void add(Session* session);
    void remove(Session* session, bool counted);
    std::vector<std::shared_ptr<Session>> all();
    void stopAccepting();
    void closeAll();

    Loop& loop;
    const ServerOptions options;
    asio::basic_socket_acceptor<tcp, Strand> acceptor;
    asio::basic_waitable_timer<Clock, asio::wait_traits<Clock>, Strand> ticker;
    tcp::endpoint bound;

    std::atomic<bool> draining = false;
    std::atomic<bool> stopping = false;
    std::atomic<int> inHandler = 0;
    std::atomic<std::uint64_t> accepted = 0, requests = 0, refused = 0, timedOut = 0;

    std::mutex mutex;
    std::condition_variable emptied;
    std::unordered_set<Session*> sessions;
    std::size_t counted = 0; // sessions within the limit; the others only say 503
};

class Session : public std::enable_shared_from_this<Session> {
public:
    Session(std::shared_ptr<Server::Impl> server, Socket socket, std::string remote, bool counted)
        : m_server(std::move(server)), m_socket(std::move(socket)), m_remote(std::move(remote)), m_counted(counted)
    {
    }
    ~Session() { close(); }

    bool isCounted() const { return m_counted; }

    void start();
    void refuseConnection();
    // From any thread.
    void answer(Response response);
    void answerDropped();
    void cut(Responder::Cut how);
    void drain();
    void closeSoon();
    void expireIfDue(Clock::time_point now);

private:
    enum class Phase : std::uint8_t { Idle, Head, Continue, Body, Handling, Writing, Lingering, Closed };
    enum class Parse : std::uint8_t { NeedMore, HeadDone, Done };

    const ServerLimits& limits() const { return m_server->options.limits; }
    void enter(Phase phase, Clock::duration timeout);
    void nextRequest();
    void read();
    void feed(std::string_view bytes);
    std::string_view parse(std::string_view bytes, Parse& state, beast::error_code& ec);
    const char* headFault() const;
    bool afterHead(bool bodyIsHere);
    void sendContinue();
    void handle();
    void refuse(ProblemType type, std::string_view detail);
    void write(std::string bytes, bool closeAfter);
    void linger();
    void readAway();
    void expire();
    void close();

    std::shared_ptr<Server::Impl> m_server;
    Socket m_socket;
    const std::string m_remote;
    const bool m_counted;

    std::optional<RequestReader> m_reader;
    std::array<char, kReadBytes> m_in;
    std::string m_pending; // read, but not parsed
    std::string m_out;
    std::size_t m_headBytes = 0;
    std::size_t m_drained = 0;
    Phase m_phase = Phase::Idle;
    bool m_keepAlive = false;
    bool m_oldClient = false;
    bool m_withBody = true;
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
    m_server->add(this);
    asio::dispatch(m_socket.get_executor(), [self = shared_from_this()] { self->nextRequest(); });
}

void Session::refuseConnection()
{
    m_server->add(this);
    asio::dispatch(m_socket.get_executor(), [self = shared_from_this()] {
        self->refuse(ProblemType::Overloaded, "Too many connections: try again after Retry-After.");
    });
}

void Session::enter(Phase phase, Clock::duration timeout)
{
    m_phase = phase;
    const bool timed = timeout != Clock::duration::zero();
    m_deadline.store(timed ? (Clock::now() + timeout).time_since_epoch().count() : 0, std::memory_order_relaxed);
}

void Session::nextRequest()
{
    m_reader.emplace();
    m_reader->header_limit(static_cast<std::uint32_t>(limits().headerBytes));
    m_reader->body_limit(limits().bodyBytes);
    m_headBytes = 0;
    enter(Phase::Idle, limits().idleTimeout);
    if (!m_pending.empty())
        feed({});
    else if (m_server->draining)
        close();
    else
        read();
}

void Session::read()
{
    m_socket.async_read_some(asio::buffer(m_in), [self = shared_from_this()](const SystemError& ec, std::size_t size) {
        if (self->m_phase != Phase::Idle && self->m_phase != Phase::Head && self->m_phase != Phase::Body)
            return;
        if (ec)
            self->close();
        else
            self->feed({self->m_in.data(), size});
    });
}

// Beast wants everything that it has not consumed again, in one piece.
std::string_view Session::parse(std::string_view bytes, Parse& state, beast::error_code& ec)
{
    if (!m_reader->got_some())
        while (bytes.starts_with("\r\n")) // RFC 9112, section 2.2: empty lines before a request are ignored
            bytes.remove_prefix(2);
    state = Parse::NeedMore;
    while (!bytes.empty()) {
        const bool inHead = !m_reader->is_header_done();
        const std::size_t used = m_reader->put(asio::buffer(bytes.data(), bytes.size()), ec);
        bytes.remove_prefix(used);
        if (inHead)
            m_headBytes += used;
        if (ec == beast::http::error::need_more) {
            ec = {};
            if (inHead && m_headBytes + bytes.size() > limits().headerBytes)
                ec = beast::http::error::header_limit;
            else if (!inHead && bytes.size() > kChunkLineBytes)
                ec = beast::http::error::bad_chunk;
            return bytes;
        }
        if (ec)
            return bytes;
        if (inHead && m_headBytes > limits().headerBytes) {
            ec = beast::http::error::header_limit;
            return bytes;
        }
        if (m_reader->is_done()) {
            state = Parse::Done;
            return bytes;
        }
        if (inHead && m_reader->is_header_done()) {
            state = Parse::HeadDone;
            return bytes;
        }
    }
    return bytes;
}

void Session::feed(std::string_view bytes)
{
    if (m_phase == Phase::Idle)
        enter(Phase::Head, limits().headerTimeout);
    if (!m_pending.empty()) {
        m_pending += bytes;
        bytes = m_pending;
    }
    const std::size_t given = bytes.size();
    Parse state = Parse::NeedMore;
    beast::error_code ec;
    bytes = parse(bytes, state, ec);
    if (!ec && state == Parse::HeadDone) {
        if (!afterHead(!bytes.empty()))
            return;
        bytes = parse(bytes, state, ec);
    } else if (!ec && state == Parse::Done && m_phase == Phase::Head) {
        if (const char* fault = headFault())
            return refuse(ProblemType::RequestInvalid, fault);
    }
    if (ec) {
        const Refusal refusal = refusalOf(ec, limits());
        return refuse(refusal.type, refusal.detail);
    }
    if (m_pending.empty())
        m_pending = bytes;
    else
        m_pending.erase(0, given - bytes.size());
    if (state == Parse::Done)
        handle();
    else
        read();
}

// What the grammar allows and an HTTP/1.1 server must refuse; nullptr: nothing.
const char* Session::headFault() const
{
    const Headers& headers = m_reader->request().headers;
    const std::size_t hosts = headers.values("Host").size();
    if (hosts > 1 || (hosts == 0 && m_reader->httpVersion() == 11))
        return "Send exactly one header Host.";
    const auto codings = headers.values("Transfer-Encoding");
    if (!codings.empty()
        && (codings.size() > 1 || !equalsIgnoringCase(codings[0], "chunked") || m_reader->httpVersion() != 11))
        return "The only transfer coding here is chunked, in HTTP/1.1.";
    return nullptr;
}

bool Session::afterHead(bool bodyIsHere)
{
    if (const char* fault = headFault()) {
        refuse(ProblemType::RequestInvalid, fault);
        return false;
    }
    enter(Phase::Body, limits().bodyTimeout);
    const std::string* expect = m_reader->request().headers.find("Expect");
    if (!bodyIsHere && m_reader->httpVersion() == 11 && expect && equalsIgnoringCase(*expect, "100-continue")) {
        sendContinue();
        return false;
    }
    return true;
}

void Session::sendContinue()
{
    m_pending.clear(); // the body has not begun to come
    enter(Phase::Continue, limits().bodyTimeout);
    m_out = "HTTP/1.1 100 Continue\r\n\r\n";
    asio::async_write(m_socket, asio::buffer(m_out), [self = shared_from_this()](const SystemError& ec, std::size_t) {
        if (self->m_phase != Phase::Continue)
            return;
        if (ec)
            return self->close();
        self->enter(Phase::Body, self->limits().bodyTimeout);
        self->read();
    });
}

void Session::handle()
{
    m_keepAlive = m_reader->keep_alive();
    m_oldClient = m_reader->httpVersion() < 11;
    Request request = m_reader->take();
    m_withBody = request.method != "HEAD";
    if (!parseTarget(request.target, request.path, request.query))
        return refuse(ProblemType::RequestInvalid, "The request target is not a path with valid percent escapes.");
    request.remote = m_remote;
    m_reader.reset();
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
    const bool close = !m_keepAlive || m_server->draining;
    const Persistence persistence = close         ? Persistence::Close
                                    : m_oldClient ? Persistence::KeepAliveOldClient
                                                  : Persistence::KeepAlive;
    std::string bytes = responseBytes(response, persistence, m_withBody);
    asio::dispatch(m_socket.get_executor(), [self = shared_from_this(), bytes = std::move(bytes), close]() mutable {
        if (self->m_phase == Phase::Handling)
            self->write(std::move(bytes), close);
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
        if (how == Responder::Cut::Reset)
            self->m_socket.set_option(asio::socket_base::linger(true, 0), ec);
        self->close();
    });
}

// A refusal of the server itself ends the connection: where the next request would begin is not certain.
void Session::refuse(ProblemType type, std::string_view detail)
{
    m_server->refused.fetch_add(1, std::memory_order_relaxed);
    write(responseBytes(problem(type, detail), Persistence::Close, true), true);
}

void Session::write(std::string bytes, bool closeAfter)
{
    enter(Phase::Writing, limits().bodyTimeout);
    m_out = std::move(bytes);
    asio::async_write(m_socket, asio::buffer(m_out),
                      [self = shared_from_this(), closeAfter](const SystemError& ec, std::size_t) {
                          if (self->m_phase != Phase::Writing)
                              return;
                          self->m_out = {};
                          fault::at(fault::ReplyAfter);
                          if (ec)
                              self->close();
                          else if (closeAfter)
                              self->linger();
                          else
                              self->nextRequest();
                      });
}

// A close with unread bytes would reset the connection and could destroy the answer on its way.
void Session::linger()
{
    enter(Phase::Lingering, kLinger);
    SystemError ec;
    m_socket.shutdown(tcp::socket::shutdown_send, ec);
    readAway();
}

void Session::readAway()
{
    m_socket.async_read_some(asio::buffer(m_in), [self = shared_from_this()](const SystemError& ec, std::size_t size) {
        self->m_drained += size;
        if (ec || self->m_drained > kLingerBytes)
            self->close();
        else if (self->m_phase == Phase::Lingering)
            self->readAway();
    });
}

void Session::drain()
{
    asio::dispatch(m_socket.get_executor(), [self = shared_from_this()] {
        if (self->m_phase == Phase::Idle)
            self->close();
    });
}

void Session::closeSoon()
{
    asio::dispatch(m_socket.get_executor(), [self = shared_from_this()] { self->close(); });
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
    if (m_phase != Phase::Lingering)
        m_server->timedOut.fetch_add(1, std::memory_order_relaxed);
    if (m_phase == Phase::Head || m_phase == Phase::Body) {
        SystemError ec;
        m_socket.cancel(ec); // the read that waits; its handler sees the new phase
        refuse(ProblemType::RequestTimeout, "The request did not arrive in time: send it in one go.");
    } else {
        close();
    }
}

void Session::close()
{
    if (m_phase == Phase::Closed)
        return;
    enter(Phase::Closed, Clock::duration::zero());
    SystemError ec;
    m_socket.close(ec);
    m_pending = {};
    m_server->remove(this, m_counted);
}

// ---- Server

namespace {

// The tick is fine enough for the shortest time-out and never coarser than a second.
std::chrono::milliseconds tickOf(const ServerLimits& limits)
{
    using std::chrono::milliseconds;
    const milliseconds shortest = std::min({limits.headerTimeout, limits.bodyTimeout, limits.idleTimeout});
    return std::clamp(shortest / 4, milliseconds(10), milliseconds(1000));
}

std::string textOf(const tcp::endpoint& endpoint)
{
    const std::string host = endpoint.address().to_string();
    const std::string port = std::to_string(endpoint.port());
    return endpoint.address().is_v6() ? "[" + host + "]:" + port : host + ":" + port;
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
    auto onAccepted = [self = shared_from_this()](const SystemError& ec, Socket socket) {
        if (!self->acceptor.is_open())
            return;
        if (!ec) {
            self->admit(std::move(socket));
        } else if (ec != asio::error::connection_aborted) {
            spdlog::warn("http: no further connection can be taken: {}", ec.message());
            self->loop.after(kAcceptPause, [self] {
                asio::dispatch(self->acceptor.get_executor(), [self] {
                    if (self->acceptor.is_open())
                        self->acceptNext();
                });
            });
            return;
        }
        self->acceptNext();
    };
    acceptor.async_accept(asio::make_strand(loop.context()), std::move(onAccepted));
}

void Server::Impl::admit(Socket socket)
{
    SystemError ec;
    const tcp::endpoint remote = socket.remote_endpoint(ec);
    if (ec)
        return;
    socket.set_option(tcp::no_delay(true), ec);
    accepted.fetch_add(1, std::memory_order_relaxed);
    std::size_t within = 0;
    std::size_t open = 0;
    {
        const std::lock_guard lock(mutex);
        within = counted;
        open = sessions.size();
    }
    if (within < options.limits.connections)
        std::make_shared<Session>(shared_from_this(), std::move(socket), textOf(remote), true)->start();
    else if (open - within < kRefusedConnections)
        std::make_shared<Session>(shared_from_this(), std::move(socket), textOf(remote), false)->refuseConnection();
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

void Server::Impl::add(Session* session)
{
    const std::lock_guard lock(mutex);
    sessions.insert(session);
    counted += session->isCounted() ? 1 : 0;
}

void Server::Impl::remove(Session* session, bool wasCounted)
{
    const std::lock_guard lock(mutex);
    if (sessions.erase(session) == 0)
        return;
    counted -= wasCounted ? 1 : 0;
    if (sessions.empty())
        emptied.notify_all();
}

std::vector<std::shared_ptr<Session>> Server::Impl::all()
{
    std::vector<std::shared_ptr<Session>> out;
    const std::lock_guard lock(mutex);
    out.reserve(sessions.size());
    for (Session* session : sessions)
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
    return "http://" + address();
}

std::uint16_t Server::port() const
{
    return m_impl->bound.port();
}

ServerCounts Server::counts() const
{
    const std::lock_guard lock(m_impl->mutex);
    return ServerCounts{m_impl->accepted, m_impl->requests, m_impl->refused, m_impl->timedOut, m_impl->sessions.size()};
}

bool Server::drain(std::chrono::milliseconds within)
{
    TEKIL_CHECK(!m_impl->loop.runsHere());
    m_impl->draining = true;
    m_impl->stopAccepting();
    for (const auto& session : m_impl->all())
        session->drain();
    std::unique_lock lock(m_impl->mutex);
    const bool clean = m_impl->emptied.wait_for(lock, within, [this] { return m_impl->sessions.empty(); });
    lock.unlock();
    m_impl->closeAll();
    return clean;
}

} // namespace tekil::http
