// The simulated provider: speaks the provider protocol (docs: app/bank/README.md) and errs exactly as it is told to.
#pragma once

#include "core/base/result.h"
#include "core/http/loop.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tekil::sandbox {

struct BankOptions {
    std::string listen = "127.0.0.1:0";
    std::string script = "{}"; // JSON; see POST /script
};

struct BankBooking {
    std::string providerReference;
    std::string idempotencyKey;
    std::string operationId;
    std::string merchantReference;
    std::string amount;
    std::string currency;
    std::int64_t bookedAtUs = 0;
};

struct BankCounts {
    std::uint64_t requests = 0;       // POST /charges that could be read
    std::uint64_t booked = 0;         // captures; two for one operation count twice
    std::uint64_t operations = 0;     // distinct operations among them
    std::uint64_t duplicates = 0;     // booked - operations
    std::uint64_t refundRequests = 0; // POST /refunds that could be read
    std::uint64_t refunds = 0;        // booked
    // Of charges and refunds:
    std::uint64_t declined = 0;
    std::uint64_t pending = 0;    // taken up without an end, or with a late one
    std::uint64_t replayed = 0;   // answered from the idempotency key
    std::uint64_t late = 0;       // refused: Send-Before had passed
    std::uint64_t unanswered = 0; // connections cut
};

class Bank {
public:
    // InvalidArgument or IoFailed as Server::start; RequestInvalid: the script.
    static Result<std::unique_ptr<Bank>> start(http::Loop& loop, BankOptions options);
    ~Bank();

    std::string url() const;
    Result<void> setScript(std::string_view json); // replaces the rules and their counters; the ledger stays
    std::vector<BankBooking> ledger() const; // every capture, duplicates included
    BankCounts counts() const;
    bool drain(std::chrono::milliseconds within);

private:
    struct Impl;
    explicit Bank(std::shared_ptr<Impl> impl);
    std::shared_ptr<Impl> m_impl;
};

} // namespace tekil::sandbox
