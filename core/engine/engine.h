// The engine of one process: its HTTP doors, its database threads and the life of payments between them.
#pragma once

#include "core/base/result.h"
#include "core/base/uuid.h"
#include "core/http/tls.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tekil::engine {

struct EngineOptions {
    std::string dsn;                             // conninfo of a login with the engine's rights
    std::string listen = "127.0.0.1:8080";       // merchants; port 0 takes any free one
    std::string adminListen = "127.0.0.1:9090";  // health and metrics
    std::string program = "tekild";              // as engine_instance shows it
    std::vector<std::string> roles; // of design section 2; empty: all. Without "api" no merchant is served
    int niceness = 0; // added to the engine's threads; the console's uses 5
    std::chrono::milliseconds lease{30'000}; // how long a payment is ours before another engine may go on
    std::optional<http::TlsFiles> tls;    // merchants are served over HTTPS only
    std::size_t connections = 12'000;     // of merchants at once
    std::size_t connectionsPerAddress = 0;          // of one address; 0: no limit
    std::size_t maxInFlight = 16'000;               // payments between their claim and their end; more are refused
    std::chrono::milliseconds queueTarget{200};     // work that waits longer for a while is refused before its claim
};

struct EngineCounts {
    std::uint64_t requests = 0; // answered by the merchant API
    std::uint64_t ended = 0; // payments Completed or Failed here
    std::uint64_t inFlight = 0; // operations between their claim and their end
    bool databaseUp = false;
};

class Engine {
public:
    // DatabaseUnavailable, SchemaMismatch, Refused (an unsafe server), IoFailed (a taken port, named with its holder).
    static Result<std::unique_ptr<Engine>> start(EngineOptions options);
    ~Engine(); // as drain() with no time left

    std::string httpUrl() const; // empty without the role api
    std::string adminUrl() const;
    Uuid instance() const;
    EngineCounts counts() const; // from any thread

    // Reads the TLS files again, for connections to come; where one is not good, the last good ones stay.
    Result<void> reloadTls();

    // Stops taking work and ends what is in flight; what the time does not suffice for keeps its lease, so that another
    // engine goes on with it. True: nothing was left. Idempotent.
    bool drain(std::chrono::milliseconds within);

private:
    struct Impl;
    explicit Engine(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

} // namespace tekil::engine
