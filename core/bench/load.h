// The load generator: one thread, one epoll, many kept connections, one request at a time on each, nothing pipelined.
// It knows nothing of payments and spends as little as a client can: what it takes is missing to who is measured.
#pragma once

#include "core/base/result.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tekil::bench {

// A server on this machine. The generator sends nowhere else.
struct Endpoint {
    std::uint32_t address = 0; // host byte order
    std::uint16_t port = 0;

    // "http://127.0.0.1:8080". InvalidArgument: anything else than a numeric loopback address and a port.
    static Result<Endpoint> fromUrl(std::string_view url);
};

struct LoadPlan {
    Endpoint to;
    std::size_t connections = 64; // opened when first needed
    // Requests a second, each at its instant whatever happened to the one before (open loop); 0: a connection's next
    // request follows its answer (closed loop).
    std::int64_t ratePerSecond = 0;
    std::chrono::nanoseconds duration = std::chrono::nanoseconds::max(); // requests begin within it
    std::uint64_t atMost = std::numeric_limits<std::uint64_t>::max(); // requests
    std::chrono::nanoseconds patience = std::chrono::seconds(40); // for the answers after the last request
    // Appends the whole request, head and body, of that number.
    std::function<void(std::uint64_t number, std::string& out)> write;
    // Called for each whole answer.
    std::function<void(std::uint64_t number, int status, std::string_view body)> onAnswer = {};
    std::function<void()> halfway = {}; // called once when half of the duration is over; must not block
};

struct LoadResult {
    std::uint64_t sent = 0;
    std::uint64_t unsent = 0; // open loop: their instant came, and every connection was taken until the end
    std::uint64_t broken = 0; // closed without a whole answer
    std::map<int, std::uint64_t> statuses;
    // From the scheduled instant (closed loop: from sending) to the last byte of the answer.
    std::map<int, std::vector<std::uint32_t>> latenciesUs;
    std::chrono::nanoseconds elapsed{}; // from the first request to the last answer
    std::chrono::nanoseconds sending{}; // from the first request to the last

    std::uint64_t answered() const;
    std::uint64_t of(int status) const;
};

// Runs the plan on the calling thread. Draining: interrupted. IoFailed: no connection could be opened.
Result<LoadResult> runLoad(const LoadPlan& plan);

// The value below which `perMille` of the values lie; 0 for none. Sorts them.
std::int64_t percentile(std::vector<std::uint32_t>& values, int perMille);

// Opens connections that send nothing, and holds them until it goes out of scope.
class IdleConnections {
public:
    IdleConnections(Endpoint to, std::size_t count);
    IdleConnections(const IdleConnections&) = delete;
    IdleConnections& operator=(const IdleConnections&) = delete;
    ~IdleConnections();
    std::size_t open() const; // those that the server has neither refused nor closed

private:
    std::vector<int> m_sockets;
};

} // namespace tekil::bench
