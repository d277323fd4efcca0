// The HTTP/1.1 server: bounded in everything, ten thousand connections on a few threads.
#pragma once

#include "core/base/result.h"
#include "core/http/loop.h"
#include "core/http/message.h"
#include "core/http/tls.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace tekil::http {

class Session;

// The way back to the client of one request; copies share it. Callable from any thread, at once or later.
// When the last copy goes without an answer, the client gets 500. No copy outlives the Loop.
class Responder {
public:
    // True: this call answers. False: it was answered before, and nothing happens.
    bool answer(Response response) const;

    // The client is known: its connection is not closed to make room for others.
    void trust() const;

    // Closes the connection without a byte, for the simulated bank's faults. False as above.
    enum class Cut : std::uint8_t { Fin, Reset };
    bool cut(Cut how) const;

private:
    friend class Session;
    struct State;
    explicit Responder(std::shared_ptr<State> state) : m_state(std::move(state)) {}
    std::shared_ptr<State> m_state;
};

// Runs on a loop thread: it must not block. One request at a time per connection.
using Handler = std::function<void(Request, Responder)>;

// A connection is cut where a phase lasts longer than its time, or where after `slowGrace` fewer bytes than
// `minimumRate` a second have come (or were taken, of an answer).
struct ServerLimits {
    std::size_t headerBytes = 16 * 1024; // request line and headers together: 431 beyond (a long target too)
    std::size_t headerLines = 100;       // 431 beyond
    std::size_t bodyBytes = 64 * 1024;   // 413 beyond
    // When all places are taken, those who have not yet shown who they are (Responder::trust) go first, of the address
    // that has most of them; where there are none, a new connection gets 503.
    std::size_t connections = 12'000;
    std::size_t connectionsPerAddress = 0; // 0: no limit; of IPv6 the first 64 bits are the address
    std::chrono::milliseconds handshakeTimeout{5'000}; // of TLS
    std::chrono::milliseconds firstTimeout{10'000}; // from there to the first byte of the first request
    std::chrono::milliseconds headerTimeout{10'000}; // from the first byte of a request to the end of its headers
    std::chrono::milliseconds bodyTimeout{10'000}; // from there to the end of its body
    std::chrono::milliseconds writeTimeout{10'000}; // for taking the answer
    std::chrono::milliseconds idleTimeout{60'000}; // between requests
    std::chrono::milliseconds slowGrace{5'000};
    std::size_t minimumRate = 4'096; // bytes a second
};

struct ServerOptions {
    std::string listen = "127.0.0.1:0"; // "[::1]:8080" for IPv6; port 0 takes any free one
    Handler handler;
    ServerLimits limits = {};
    std::optional<TlsFiles> tls = {}; // HTTPS only
};

struct ServerCounts {
    std::uint64_t accepted = 0; // connections
    std::uint64_t requests = 0; // given to the handler
    std::uint64_t refused = 0; // answered by the server itself (4xx and 503 of its own)
    std::uint64_t timedOut = 0; // connections cut for being slow or idle
    std::uint64_t evicted = 0; // strangers that were closed to make room
    std::uint64_t handshakesFailed = 0; // of TLS
    std::uint64_t acceptFailed = 0; // say, no descriptor was left
    std::size_t open = 0; // connections now
};

class Server {
public:
    // InvalidArgument: `listen` is no numeric address with a port, or a TLS file is not good. IoFailed: it cannot be
    // listened on; a taken port is named with the process that holds it, where that can be seen.
    static Result<std::unique_ptr<Server>> start(Loop& loop, ServerOptions options);
    ~Server(); // closes every connection at once

    std::string address() const; // "127.0.0.1:41233", with the real port
    std::string url() const; // "http://127.0.0.1:41233", or https
    std::uint16_t port() const;
    ServerCounts counts() const;

    // Reads the TLS files again for new connections; those that are open keep theirs. Where a file is not good, what
    // was read before stays.
    Result<void> reloadTls();

    // Takes no new connection, closes the idle ones, and lets each request that has begun be answered with
    // "Connection: close", which tells a client to send what it had pipelined behind it again (RFC 9112, section 9.6).
    void beginDrain();
    // The same, and returns when none is left or the time is over (the rest is cut). Not on a loop thread. True:
    // nothing had to be cut.
    bool drain(std::chrono::milliseconds within);

private:
    friend class Session;
    struct Impl;
    explicit Server(std::shared_ptr<Impl> impl);
    std::shared_ptr<Impl> m_impl;
};

// The process that listens on the TCP port: "pid 812 (nginx)", or empty where it cannot be seen.
std::string holderOfPort(std::uint16_t port);

} // namespace tekil::http
