// A connection lives on its strand; the pool of slots lives under one mutex. Callbacks are never run under it.
#include "core/http/client.h"

#include "core/base/clock.h"
#include "core/base/fault.h"
#include "core/http/wire.h"

#include <boost/asio/connect.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <deque>
#include <mutex>
#include <optional>
#include <sys/socket.h>
#include <vector>

namespace tekil::http {

namespace asio = boost::asio;
namespace beast = boost::beast;

namespace {

using asio::ip::tcp;
using SystemError = boost::system::error_code;
using Strand = asio::strand<asio::io_context::executor_type>;
using Socket = asio::basic_stream_socket<tcp, Strand>;
using TlsStream = asio::ssl::stream<Socket&>;
using Clock = std::chrono::steady_clock;
using Timer = asio::basic_waitable_timer<Clock, asio::wait_traits<Clock>, Strand>;
using Resolver = asio::ip::basic_resolver<tcp, Strand>;

constexpr std::size_t kReadBytes = 4096;
constexpr std::uint32_t kAnswerHeaderBytes = 16 * 1024;

// Parses straight into an answer.
class AnswerReader final : public beast::http::basic_parser<false> {
public:
    explicit AnswerReader(std::size_t maxBody)
    {
        header_limit(kAnswerHeaderBytes);
        body_limit(maxBody);
        eager(true);
    }
    Answered take() { return std::move(m_answer); }
    const Answered& answer() const { return m_answer; }

private:
    using View = beast::string_view;
    using Length = boost::optional<std::uint64_t>;

    void on_request_impl(beast::http::verb, View, View, int, beast::error_code&) override {}
    void on_response_impl(int status, View, int, beast::error_code&) override { m_answer.status = status; }
    void on_field_impl(beast::http::field, View name, View value, beast::error_code& ec) override
    {
        m_headerBytes += name.size() + value.size();
        if (m_headerBytes > kAnswerHeaderBytes)
            ec = beast::http::error::header_limit;
        else if (!m_headersEnded)
            m_answer.headers.add(std::string(name.data(), name.size()), std::string(value.data(), value.size()));
    }
    void on_header_impl(beast::error_code& ec) override
    {
        m_headersEnded = true;
        const auto codings = m_answer.headers.values("Transfer-Encoding");
        if (!codings.empty() && (codings.size() > 1 || !equalsIgnoringCase(codings[0], "chunked")))
            ec = beast::http::error::bad_transfer_encoding;
    }
    void on_body_init_impl(const Length&, beast::error_code&) override {}
    std::size_t on_body_impl(View part, beast::error_code&) override
    {
        m_answer.body.append(part.data(), part.size());
        return part.size();
    }
    void on_chunk_header_impl(std::uint64_t, View, beast::error_code&) override {}
    std::size_t on_chunk_body_impl(std::uint64_t, View part, beast::error_code& ec) override
    {
        return on_body_impl(part, ec);
    }
    void on_finish_impl(beast::error_code&) override {}

    Answered m_answer;
    std::size_t m_headerBytes = 0;
    bool m_headersEnded = false;
};

struct BaseUrl {
    bool tls = false;
    std::string host;
    std::string port;
    std::string prefix;
    std::string hostHeader;
};

Result<BaseUrl> parseBaseUrl(const std::string& text)
{
    const Error invalid{ErrorCode::InvalidArgument,
                        "base URL \"" + text + "\": write http://host:port/path or https://host/path, nothing else"};
    std::string_view rest = text;
    BaseUrl url;
    url.tls = rest.starts_with("https://");
    if (!url.tls && !rest.starts_with("http://"))
        return invalid;
    rest.remove_prefix(url.tls ? 8 : 7);
    if (rest.find_first_of("@?# \t\r\n\\") != std::string_view::npos)
        return invalid;
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    url.prefix = rest.substr(slash);
    while (url.prefix.ends_with('/'))
        url.prefix.pop_back();
    const std::string_view authority = rest.substr(0, slash);
    url.hostHeader = authority;
    const std::size_t hostEnd = authority.starts_with('[') ? authority.find(']') : authority.find(':');
    if (authority.starts_with('[')) {
        if (hostEnd == std::string_view::npos)
            return invalid;
        url.host = authority.substr(1, hostEnd - 1);
        rest = authority.substr(hostEnd + 1);
    } else {
        url.host = authority.substr(0, hostEnd);
        rest = authority.substr(std::min(hostEnd, authority.size()));
    }
    url.port = url.tls ? "443" : "80";
    if (!rest.empty()) {
        unsigned port = 0;
        const auto [end, failed] = std::from_chars(rest.data() + 1, rest.data() + rest.size(), port);
        if (rest.front() != ':' || failed != std::errc() || end != rest.data() + rest.size() || port == 0
            || port > 65535)
            return invalid;
        url.port = rest.substr(1);
    }
    if (url.host.empty())
        return invalid;
    return url;
}

} // namespace

// The slots. `used` counts leases and connections under way; a kept connection in `idle` holds no slot.
struct ClientState : std::enable_shared_from_this<ClientState> {
    ClientState(Loop& owner, ClientOptions given, BaseUrl base)
        : context(owner.context()), options(std::move(given)), url(std::move(base))
    {
    }

    void acquire(OnLease onLease);
    void open(OnLease onLease); // in a slot that is taken already
    void deliver(const std::shared_ptr<ClientConnection>& connection, const OnLease& onLease);
    void release(std::shared_ptr<ClientConnection> reusable);
    bool forget(const ClientConnection* connection);
    void shut();

    asio::io_context& context;
    const ClientOptions options;
    const BaseUrl url;
    std::optional<asio::ssl::context> tls;

    std::mutex mutex;
    std::size_t used = 0;
    std::vector<std::shared_ptr<ClientConnection>> idle; // the last one was used last
    std::deque<OnLease> waiting;
    bool closed = false;
};

struct ClientConnection : std::enable_shared_from_this<ClientConnection> {
    explicit ClientConnection(std::shared_ptr<ClientState> owner)
        : state(std::move(owner)), socket(asio::make_strand(state->context)), timer(socket.get_executor()),
          resolver(socket.get_executor())
    {
    }

    void connect(OnLease onLease);
    void connectTo(const std::vector<tcp::endpoint>& endpoints);
    void handshake();
    void connected();
    void failConnect(const std::string& why);

    bool peerIsQuiet();
    void finishUnsent(const char* why, bool reusable);
    void giveBack();
    void send(std::string bytes, bool headOnly, std::chrono::nanoseconds sendBefore, OnOutcome callback);
    void written(const SystemError& ec, std::size_t size);
    void read();
    void received(const SystemError& ec, std::size_t size);
    bool parseAnswer(beast::error_code& ec);
    void finish(Outcome outcome, bool reusable);

    void startTimer(Clock::duration timeout);
    void armTimer();
    void expired();
    void keep();
    void close();

    template <class Use>
    void withStream(Use use)
    {
        if (tlsStream)
            use(*tlsStream);
        else
            use(socket);
    }

    enum class Phase : std::uint8_t { New, Connecting, Ready, Sending, Closed };

    std::shared_ptr<ClientState> state;
    Socket socket;
    std::optional<TlsStream> tlsStream;
    Timer timer;
    Resolver resolver;
    Phase phase = Phase::New;
    bool wasUsed = false;
    bool headOnly = false;
    bool timedOut = false;
    bool isIdle = false; // in the pool, waiting for its age
    std::optional<Clock::time_point> deadline;
    std::optional<Clock::time_point> armed; // when the timer's one wait ends

    OnLease onLease;
    OnOutcome onOutcome;
    std::optional<AnswerReader> reader;
    std::array<char, kReadBytes> in;
    std::string pending;
    std::string out;
    std::chrono::nanoseconds sentAt{};
};

// ---- the pool

void ClientState::acquire(OnLease onLease)
{
    {
        const std::lock_guard lock(mutex);
        if (used >= options.maxConnections && waiting.size() < options.maxWaiting)
            return waiting.push_back(std::move(onLease));
        if (used >= options.maxConnections)
            return asio::post(context, [onLease = std::move(onLease)] {
                onLease(Error{ErrorCode::Overloaded, "too many requests wait for this provider"});
            });
        ++used;
    }
    open(std::move(onLease));
}

void ClientState::open(OnLease onLease)
{
    std::shared_ptr<ClientConnection> kept;
    {
        const std::lock_guard lock(mutex);
        if (!idle.empty()) {
            kept = std::move(idle.back());
            idle.pop_back();
        }
    }
    const bool isKept = kept != nullptr;
    const auto connection = isKept ? std::move(kept) : std::make_shared<ClientConnection>(shared_from_this());
    asio::post(connection->socket.get_executor(), [connection, isKept, onLease = std::move(onLease)]() mutable {
        connection->isIdle = false;
        if (!isKept)
            return connection->connect(std::move(onLease));
        connection->deadline.reset();
        if (connection->phase == ClientConnection::Phase::Ready && connection->peerIsQuiet())
            return connection->state->deliver(connection, onLease);
        connection->close();
        connection->state->open(std::move(onLease)); // the next kept one, at last a fresh one
    });
}

void ClientState::deliver(const std::shared_ptr<ClientConnection>& connection, const OnLease& onLease)
{
    onLease(Lease(connection));
}

// Gives a slot back: to the first in the queue, with the connection where it can be used again.
void ClientState::release(std::shared_ptr<ClientConnection> reusable)
{
    OnLease next;
    {
        const std::lock_guard lock(mutex);
        if (reusable && !closed) {
            reusable->keep();
            idle.push_back(std::move(reusable));
            reusable = nullptr;
        }
        if (waiting.empty()) {
            --used;
        } else {
            next = std::move(waiting.front());
            waiting.pop_front();
        }
    }
    if (reusable) // the client is closed
        reusable->close();
    if (next)
        open(std::move(next));
}

bool ClientState::forget(const ClientConnection* connection)
{
    const std::lock_guard lock(mutex);
    return std::erase_if(idle, [connection](const auto& kept) { return kept.get() == connection; }) > 0;
}

void ClientState::shut()
{
    std::deque<OnLease> left;
    std::vector<std::shared_ptr<ClientConnection>> kept;
    {
        const std::lock_guard lock(mutex);
        closed = true;
        left.swap(waiting);
        kept.swap(idle);
    }
    for (const auto& connection : kept)
        asio::post(connection->socket.get_executor(), [connection] { connection->close(); });
    for (OnLease& onLease : left)
        asio::post(context,
                   [onLease = std::move(onLease)] { onLease(Error{ErrorCode::NotSent, "the client was closed"}); });
}

// ---- connecting

void ClientConnection::connect(OnLease callback)
{
    onLease = std::move(callback);
    phase = Phase::Connecting;
    startTimer(state->options.connectTimeout);
    SystemError ec;
    const auto address = asio::ip::make_address(state->url.host, ec);
    if (!ec) {
        std::uint16_t port = 0;
        std::from_chars(state->url.port.data(), state->url.port.data() + state->url.port.size(), port);
        return connectTo({tcp::endpoint(address, port)});
    }
    auto onFound = [self = shared_from_this()](const SystemError& failed, const tcp::resolver::results_type& found) {
        if (self->phase != Phase::Connecting)
            return;
        if (failed)
            return self->failConnect("its name is not found: " + failed.message());
        std::vector<tcp::endpoint> endpoints;
        for (const auto& entry : found)
            endpoints.push_back(entry.endpoint());
        self->connectTo(endpoints);
    };
    resolver.async_resolve(state->url.host, state->url.port, std::move(onFound));
}

void ClientConnection::connectTo(const std::vector<tcp::endpoint>& endpoints)
{
    asio::async_connect(socket, endpoints, [self = shared_from_this()](const SystemError& ec, const tcp::endpoint&) {
        if (self->phase != Phase::Connecting)
            return;
        if (ec)
            return self->failConnect("no connection: " + ec.message());
        SystemError ignored;
        self->socket.set_option(tcp::no_delay(true), ignored);
        if (self->state->tls)
            self->handshake();
        else
            self->connected();
    });
}

void ClientConnection::handshake()
{
    tlsStream.emplace(socket, *state->tls);
    SystemError numeric;
    asio::ip::make_address(state->url.host, numeric);
    if (numeric) // a name, for which SNI is defined
        SSL_set_tlsext_host_name(tlsStream->native_handle(), state->url.host.c_str());
    SystemError ec;
    tlsStream->set_verify_mode(asio::ssl::verify_peer, ec);
    if (!ec)
        tlsStream->set_verify_callback(asio::ssl::host_name_verification(state->url.host), ec);
    if (ec)
        return failConnect("TLS: " + ec.message());
    tlsStream->async_handshake(asio::ssl::stream_base::client, [self = shared_from_this()](const SystemError& failed) {
        if (self->phase != Phase::Connecting)
            return;
        if (failed)
            self->failConnect("TLS: " + failed.message());
        else
            self->connected();
    });
}

void ClientConnection::connected()
{
    deadline.reset();
    phase = Phase::Ready;
    const OnLease callback = std::exchange(onLease, nullptr);
    state->deliver(shared_from_this(), callback);
}

void ClientConnection::failConnect(const std::string& why)
{
    const OnLease callback = std::exchange(onLease, nullptr);
    const std::string& host = state->url.hostHeader;
    close();
    state->release(nullptr);
    callback(Error{ErrorCode::NotSent, host + ": " + why});
}

// ---- sending

// A peer that has closed, or that speaks before it is asked, makes the connection useless. Under TLS a server may send
// tickets at any time before the first answer, so there only an end counts until then.
bool ClientConnection::peerIsQuiet()
{
    char byte = 0;
    const ssize_t got = ::recv(socket.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    if (got < 0)
        return errno == EAGAIN || errno == EWOULDBLOCK;
    return got > 0 && tlsStream && !wasUsed;
}

void ClientConnection::send(std::string bytes, bool head, std::chrono::nanoseconds sendBefore, OnOutcome callback)
{
    onOutcome = std::move(callback);
    headOnly = head;
    out = std::move(bytes);
    reader.emplace(state->options.maxAnswerBytes);
    reader->skip(headOnly);
    timedOut = false;
    if (phase != Phase::Ready || !peerIsQuiet())
        return finishUnsent("the provider has closed the connection", false);
    startTimer(state->options.timeout);
    phase = Phase::Sending;
    if (bootTime() >= sendBefore) // the last thing before the first byte
        return finishUnsent("the time to send it by has passed", true);
    if (sendBefore != kNoSendDeadline)
        fault::at(fault::SendChecked);
    withStream([&](auto& stream) {
        asio::async_write(
            stream, asio::buffer(out),
            [self = shared_from_this()](const SystemError& ec, std::size_t size) { self->written(ec, size); });
    });
    sentAt = bootTime(); // the first write was tried within the call above: a pause before it shows here
    wasUsed = true;
}

// Later, since the caller of send() is not to be called back inside it.
void ClientConnection::finishUnsent(const char* why, bool reusable)
{
    deadline.reset();
    asio::post(socket.get_executor(),
               [self = shared_from_this(), why, reusable] { self->finish(NotSent{why}, reusable); });
}

void ClientConnection::giveBack()
{
    if (phase != Phase::Ready)
        close();
    state->release(phase == Phase::Ready ? shared_from_this() : nullptr);
}

void ClientConnection::written(const SystemError& ec, std::size_t size)
{
    if (!ec && !timedOut && out.starts_with("POST") && fault::at(fault::SendAfter))
        return finish(NoAnswer{"a fault that was asked for: the connection broke"}, false);
    if (!ec && !timedOut)
        return read();
    const std::string why = timedOut ? "not written in time" : ec.message();
    // Asio counts what send() took. Under TLS a record may be on its way although none of it is counted.
    if (size == 0 && !tlsStream)
        return finish(NotSent{"the connection broke before the first byte: " + why}, false);
    finish(NoAnswer{"the request broke off: " + why}, false);
}

void ClientConnection::read()
{
    withStream([&](auto& stream) {
        stream.async_read_some(asio::buffer(in), [self = shared_from_this()](const SystemError& ec, std::size_t size) {
            self->received(ec, size);
        });
    });
}

void ClientConnection::received(const SystemError& ec, std::size_t size)
{
    pending.append(in.data(), size);
    beast::error_code unreadable;
    bool whole = parseAnswer(unreadable);
    if (!whole && !unreadable && ec == asio::error::eof && reader->got_some()) {
        reader->put_eof(unreadable); // an answer without a length ends with the connection
        whole = !unreadable && reader->is_done();
    }
    if (unreadable)
        return finish(NoAnswer{"the answer cannot be read: " + unreadable.message()}, false);
    if (whole) {
        const bool reusable = !ec && pending.empty() && reader->keep_alive() && !reader->need_eof();
        return finish(reader->take(), reusable);
    }
    if (timedOut)
        return finish(NoAnswer{"no answer in time"}, false);
    if (ec == asio::error::eof)
        return finish(NoAnswer{"the connection was closed without a whole answer"}, false);
    if (ec)
        return finish(NoAnswer{"the connection broke: " + ec.message()}, false);
    read();
}

// True: the final answer is whole. Interim answers (1xx) are read over.
bool ClientConnection::parseAnswer(beast::error_code& ec)
{
    while (!pending.empty()) {
        // Beast's parser asserts where the last chunk of an empty body has come as far as this.
        if (reader->is_header_done() && reader->chunked() && (pending == "0\r\n" || pending == "0\r\n\r"))
            return false;
        const std::size_t used = reader->put(asio::buffer(pending), ec);
        pending.erase(0, used);
        if (ec == beast::http::error::need_more) {
            ec = {};
            if (pending.size() > kAnswerHeaderBytes)
                ec = beast::http::error::header_limit;
            return false;
        }
        if (ec)
            return false;
        if (!reader->is_done())
            continue;
        const int status = reader->answer().status;
        if (status == 101)
            ec = beast::http::error::bad_status;
        if (status >= 200 || ec)
            return !ec;
        reader.emplace(state->options.maxAnswerBytes);
        reader->skip(headOnly);
    }
    return false;
}

void ClientConnection::finish(Outcome outcome, bool reusable)
{
    const OnOutcome callback = std::exchange(onOutcome, nullptr);
    if (auto* answered = std::get_if<Answered>(&outcome))
        answered->sentAt = sentAt;
    else if (auto* silent = std::get_if<NoAnswer>(&outcome))
        silent->sentAt = sentAt;
    deadline.reset();
    reader.reset();
    pending.clear();
    if (reusable)
        phase = Phase::Ready;
    else
        close();
    state->release(reusable ? shared_from_this() : nullptr);
    callback(std::move(outcome));
}

// ---- time

// One wait at a time: a deadline that moves on leaves it, and the wait finds out when it ends.
void ClientConnection::startTimer(Clock::duration timeout)
{
    deadline = Clock::now() + timeout;
    if (!armed || *armed > *deadline)
        armTimer();
}

void ClientConnection::armTimer()
{
    armed = deadline;
    timer.expires_at(*deadline);
    timer.async_wait([weak = weak_from_this()](const SystemError& ec) {
        const auto self = weak.lock();
        if (ec || !self)
            return;
        self->armed.reset();
        if (self->deadline && *self->deadline <= Clock::now())
            self->expired();
        else if (self->deadline)
            self->armTimer();
    });
}

void ClientConnection::expired()
{
    deadline.reset();
    if (phase == Phase::Connecting) {
        failConnect("no connection in time");
    } else if (phase == Phase::Sending) {
        timedOut = true; // the write or read under way ends now, and tells how far it came
        SystemError ec;
        socket.cancel(ec);
    } else if (isIdle && state->forget(this)) {
        close();
    }
}

void ClientConnection::keep()
{
    isIdle = true;
    startTimer(state->options.idleTimeout);
}

void ClientConnection::close()
{
    phase = Phase::Closed;
    SystemError ec;
    resolver.cancel();
    socket.close(ec);
}

// ---- what callers hold

namespace {

bool isSendable(const OutRequest& request)
{
    const auto isVisible = [](char c) { return c > 0x20 && c < 0x7F; };
    return headersAreClean(request.headers) && headersAreClean({{request.method, ""}}) && request.path.starts_with('/')
           && std::all_of(request.path.begin(), request.path.end(), isVisible);
}

} // namespace

Lease::Lease(std::shared_ptr<ClientConnection> connection) : m_connection(std::move(connection)) {}

Lease::Lease(Lease&&) noexcept = default;

Lease& Lease::operator=(Lease&& other) noexcept
{
    Lease old(std::exchange(m_connection, std::move(other.m_connection)));
    return *this;
}

Lease::~Lease()
{
    if (m_connection)
        asio::post(m_connection->socket.get_executor(), [connection = m_connection] { connection->giveBack(); });
}

void Lease::send(OutRequest request, std::chrono::nanoseconds sendBefore, OnOutcome onOutcome) &&
{
    TEKIL_CHECK(m_connection);
    if (!isSendable(request)) {
        const auto connection = std::exchange(m_connection, nullptr);
        asio::post(connection->socket.get_executor(), [connection, onOutcome = std::move(onOutcome)] {
            connection->giveBack();
            onOutcome(NotSent{"its method, path or a header holds a character that HTTP does not allow there"});
        });
        return;
    }
    const BaseUrl& url = m_connection->state->url;
    const Strand strand = m_connection->socket.get_executor();
    asio::dispatch(strand, [connection = std::exchange(m_connection, nullptr), sendBefore,
                            bytes = requestBytes(request, {url.hostHeader, url.prefix}),
                            head = request.method == "HEAD", onOutcome = std::move(onOutcome)]() mutable {
        connection->send(std::move(bytes), head, sendBefore, std::move(onOutcome));
    });
}

Result<std::unique_ptr<Client>> Client::create(Loop& loop, ClientOptions options)
{
    TEKIL_CHECK(options.maxConnections > 0);
    auto url = parseBaseUrl(options.baseUrl);
    if (!url)
        return url.error();
    auto state = std::make_shared<ClientState>(loop, std::move(options), std::move(*url));
    if (state->url.tls) {
        SystemError ec;
        state->tls.emplace(asio::ssl::context::tls_client);
        state->tls->set_default_verify_paths(ec);
        if (ec)
            return Error{ErrorCode::IoFailed, "the system's certificates cannot be read: " + ec.message()};
        SSL_CTX_set_min_proto_version(state->tls->native_handle(), TLS1_2_VERSION);
    }
    return std::unique_ptr<Client>(new Client(std::move(state)));
}

Client::~Client()
{
    m_state->shut();
}

void Client::acquire(OnLease onLease)
{
    m_state->acquire(std::move(onLease));
}

void Client::request(OutRequest request, OnOutcome onOutcome)
{
    acquire([request = std::move(request), onOutcome = std::move(onOutcome)](Result<Lease> lease) mutable {
        if (lease)
            std::move(*lease).send(std::move(request), kNoSendDeadline, std::move(onOutcome));
        else
            onOutcome(NotSent{lease.error().detail});
    });
}

void Client::get(std::string_view path, OnOutcome onOutcome)
{
    request(OutRequest{"GET", std::string(path)}, std::move(onOutcome));
}

} // namespace tekil::http
