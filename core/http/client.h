// The HTTP client for providers: it sends a request once, never again, follows no redirect, and says what is proven.
#pragma once

#include "core/base/result.h"
#include "core/http/loop.h"
#include "core/http/message.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

namespace tekil::http {

struct OutRequest {
    std::string method = "POST";
    std::string path;     // below the base URL, encoded, with its query: "/charges"
    Headers headers = {}; // Host, Content-Length and Connection are the client's own
    std::string body = {};
};

// Definite: not one byte of the request was written.
struct NotSent {
    std::string why;
};
// A byte was written, or may have been, and no whole readable answer came: the peer may have acted.
struct NoAnswer {
    std::string why;
    std::chrono::nanoseconds sentAt{}; // bootTime() once the system had taken the first bytes: not later than that
};
struct Answered {
    int status = 0;
    Headers headers;
    std::string body;
    std::chrono::nanoseconds sentAt{}; // as above
};
using Outcome = std::variant<NotSent, NoAnswer, Answered>;
using OnOutcome = std::function<void(Outcome)>;

struct ClientOptions {
    std::string baseUrl = {}; // "http://host:port/prefix" or "https://…" (verified against the system's store)
    std::chrono::milliseconds timeout{5'000};        // from the first byte of the request to the last of the answer
    std::chrono::milliseconds connectTimeout{2'000}; // name look-up, connection and TLS together
    std::chrono::milliseconds idleTimeout{30'000};   // a kept connection older than this is not used again
    std::size_t maxConnections = 64;                 // slots: leases at a time
    std::size_t maxWaiting = 10'000;                 // acquire() calls in the queue; Overloaded beyond
    std::size_t maxAnswerBytes = 256 * 1024;         // a longer body is no answer
};

struct ClientConnection;
struct ClientState;

// One slot and a connection that is ready for the first byte. Dropped unsent, it gives both back.
class Lease {
public:
    Lease(Lease&&) noexcept;
    Lease& operator=(Lease&&) noexcept;
    ~Lease();

    // Writes the request once, if CLOCK_BOOTTIME (bootTime()) is before `sendBefore` at that moment and the peer has
    // not closed meanwhile; else NotSent. The callback runs once, on a loop thread, after the slot is free again.
    void send(OutRequest request, std::chrono::nanoseconds sendBefore, OnOutcome onOutcome) &&;

private:
    friend struct ClientState;
    explicit Lease(std::shared_ptr<ClientConnection> connection);
    std::shared_ptr<ClientConnection> m_connection;
};
using OnLease = std::function<void(Result<Lease>)>;

// A send without a deadline of its own, for requests that move no money.
inline constexpr std::chrono::nanoseconds kNoSendDeadline = std::chrono::nanoseconds::max();

// Callable from any thread. Callbacks run on the loop's threads; those still open when the loop stops never run.
class Client {
public:
    // InvalidArgument: the base URL is not one.
    static Result<std::unique_ptr<Client>> create(Loop& loop, ClientOptions options);
    ~Client(); // waiters get NotSent; what is being sent ends by itself

    // Takes a slot, in the order of the calls, and a connection in it: a kept one that the peer has neither closed nor
    // written to, else a fresh one. Errors: NotSent (refused, name, TLS, time-out), Overloaded (the queue is full).
    void acquire(OnLease onLease);

    // acquire and send in one, without a deadline: for GET and other requests that may be repeated.
    void request(OutRequest request, OnOutcome onOutcome);
    void get(std::string_view path, OnOutcome onOutcome);

private:
    explicit Client(std::shared_ptr<ClientState> state) : m_state(std::move(state)) {}
    std::shared_ptr<ClientState> m_state;
};

} // namespace tekil::http
