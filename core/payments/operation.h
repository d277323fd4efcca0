// One payment on its way through an engine, and what its client is told.
#pragma once

#include "core/base/uuid.h"
#include "core/payments/request.h"
#include "core/providers/provider.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace tekil::payments {

// What a client is told of its request.
struct Answer {
    enum class Kind : std::uint8_t {
        Ended,     // status and body as stored; replayed where they are of an earlier request
        Pending,   // Processing or Unknown: the body tells which
        InFlight,  // the key's first request has not ended
        Mismatch,  // the key belongs to another request
        Expired,   // the key is past its retention
        Duplicate, // another key has paid this: operationId is the first payment's
        Refused,   // nothing was stored, or it is not known: the error says
    };
    Kind kind = Kind::Refused;
    int status = 0;
    std::string body = {};
    bool replayed = false;
    Uuid operationId = {};
    int retryAfterSeconds = 0; // 0: as the refusal's own row says
    Error error = {ErrorCode::Overloaded, ""};
};
using OnAnswer = std::function<void(Answer)>;

// A request that has passed the door.
struct Submission {
    std::int64_t merchantId = 0;
    std::string key;
    PaymentRequest request;
    std::chrono::milliseconds wait{10'000}; // for the end, before 202
    OnAnswer onAnswer;
};

// Belongs to one step at a time; only the waiter's side is shared.
class Operation {
public:
    // A new one, under a name of its own.
    explicit Operation(Submission submission) : Operation(Uuid::next(), std::move(submission)) {}
    // One that exists already.
    Operation(Uuid operationId, Submission submission)
        : id(operationId), m_submission(std::move(submission)), m_hash(canonicalHash(m_submission.request))
    {
    }

    const Uuid id;
    const Submission& submission() const { return m_submission; }
    const PaymentRequest& request() const { return m_submission.request; }
    const Sha256& hash() const { return m_hash; }

    // Answers the client once; later answers are dropped.
    void answer(Answer answer)
    {
        if (!m_answered.exchange(true))
            std::exchange(m_submission.onAnswer, nullptr)(std::move(answer)); // and lets the client's connection go
    }
    bool isAnswered() const { return m_answered; }

    // From here on the client may be told "accepted, being worked on".
    std::atomic<bool> accepted = false;
    std::atomic<bool> due = false;  // the client's wait is over
    bool recovered = false;         // taken over: nobody waits for it here
    bool afterEnd = false;          // it has failed: it is asked for what may contradict that
    bool counted = false;           // among its provider's; guarded by the pipeline's mutex
    bool asked = false;             // the proof comes from an inquiry
    bool sendIfNotFound = false;    // an inquiry that finds nothing is followed by the same request again
    bool graceOver = false;         // what is asked for from now on and not found was never charged
    std::atomic<bool> wasSent = false; // an attempt of it was committed here
    std::atomic<bool> lost = false; // another engine has gone on with it: no side effect any more

    bool probes = false; // its call tries whether the provider is back
    std::int64_t providerId = 0;
    std::int64_t epoch = 1;
    int tries = 0; // of the present step
    std::chrono::nanoseconds started{};  // bootTime() when it came or was taken over
    std::chrono::nanoseconds renewed{};  // bootTime() before the last renewal; guarded by the pipeline's mutex
    std::string chargeBody;
    std::unique_ptr<providers::Slot> slot;
    int attempt = 0; // 0: none is open
    std::chrono::nanoseconds attemptBegan{}; // bootTime() before it was committed
    std::chrono::nanoseconds sendBefore{};   // bootTime() from which on its first byte is late
    std::string proof;
    providers::ChargeOutcome outcome;

private:
    Submission m_submission;
    Sha256 m_hash;
    std::atomic<bool> m_answered = false;
};
using OperationPtr = std::shared_ptr<Operation>;

} // namespace tekil::payments
