// claim → accept → send → finish: the steps of a payment, each a lane of set-based statements that commits before the
// next one starts. No transaction is open while a provider is spoken to.
#pragma once

#include "core/http/loop.h"
#include "core/payments/admission.h"
#include "core/payments/commit_watch.h"
#include "core/payments/key_events.h"
#include "core/payments/lane.h"
#include "core/payments/operation.h"
#include "core/payments/retry_after.h"
#include "core/providers/provider_gate.h"

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace tekil::payments {

struct PipelineOptions {
    std::string dsn;
    Uuid instance;
    int niceness = 0;
    std::chrono::milliseconds lease{30'000};
    AdmissionLimits admission = {};
    std::size_t maxOfOneProvider = 10'000; // of them: what is left stays free for the other providers
};

// A payment's current state, as its merchant is told.
struct PaymentView {
    Uuid operationId;
    std::string body;
    std::string status;
    int retryAfterSeconds = 1; // where it has not ended
};
using OnPaymentView = std::function<void(Result<std::optional<PaymentView>>)>;

struct PaymentQuery {
    std::int64_t merchantId = 0;
    std::optional<Uuid> operationId;
    std::optional<std::string> key;
    OnPaymentView onView;
};

// An operation that this engine has taken over, as its rows tell it.
struct Resumed {
    Uuid operationId;
    std::int64_t epoch = 0;
    std::int64_t merchantId = 0;
    std::string key;
    std::int64_t providerId = 0;
    std::string invoiceId;
    bool invoiceIsNumber = false;
    Money amount;
    std::string chargeBody; // of its first attempt; empty where there was none
    int openAttempt = 0;    // 0: none
    bool graceOver = false; // "not found" counts from here on: no attempt can still arrive
    std::string proof = {}; // of ResumeAt::Book, with its outcome
    providers::ChargeOutcome outcome = {};
};

// Where a resumed operation goes on.
enum class ResumeAt : std::uint8_t {
    Accept,
    Send,         // or send again: the same bytes, the same key
    CloseAttempt, // its open attempt ends without an answer
    Ask,
    AskThenSend,  // sends again where the provider does not find it
    AskEnded,     // it has failed: only what contradicts that is of interest
    GiveBack,     // nothing an engine may do
    Book,         // its proof is known: it is booked
};

// How this engine stands with one provider.
struct ProviderCondition {
    std::int64_t id = 0;
    std::string name;
    providers::BreakerState breaker = providers::BreakerState::Closed;
    std::size_t inFlight = 0;
    std::chrono::milliseconds usual{};
};

// Work for the side lane: one statement of its own each.
struct Chore {
    std::function<Result<void>(db::Connection&)> run;
    std::function<void(const Error&)> failed = [](const Error&) {};
};

class Pipeline {
public:
    Pipeline(http::Loop& loop, PipelineOptions options);
    ~Pipeline();

    // From any thread. The answer comes once, from any thread.
    void submit(Submission submission);
    void lookUp(PaymentQuery query);
    // Writes the key events that wait for their second to end.
    Result<void> flushEvents(db::Connection& connection);
    [[nodiscard]] bool push(Chore chore) { return m_chores.push(std::move(chore)); }
    // Look-ups for requests at the door: on a lane of their own, so that a flood of them delays no lease.
    [[nodiscard]] bool pushLookUp(Chore chore) { return m_doors.push(std::move(chore)); }

    // Goes on with an operation that was taken over. From any thread.
    void resume(Resumed resumed, ResumeAt step);

    std::size_t inFlight() const;
    // How long a payment waits in the lanes, one after the other, and whether that is more than this engine can do.
    std::chrono::nanoseconds delay() const;
    bool overloaded() const { return m_admission.overloaded(); }
    // Those whose lease may have run out unrenewed while the database was away: still ours to end.
    std::vector<Uuid> withOldLease() const;
    // Those taken over, by provider: how many are in flight, and how many were and have left.
    struct Recovered {
        std::int64_t held = 0;
        std::int64_t left = 0;
        bool shut = false; // its breaker is open

        void leaves()
        {
            --held;
            ++left;
        }
    };
    std::map<std::int64_t, Recovered> recovered() const;
    std::vector<ProviderCondition> providerConditions() const;
    std::uint64_t ended() const { return m_ended; }
    // How often a batch was tried again because somebody else was in the way.
    std::uint64_t conflicts() const;
    bool databaseUp() const { return m_chores.connected(); }
    // Whether anything that people see has changed since the last call.
    bool takeChanged() { return m_changed.exchange(false); }

    // Waits until nothing is in flight. False: the time was over; what has an open attempt keeps its lease, and the
    // rest is given back.
    bool drain(std::chrono::milliseconds within);
    // Commits were lost: nothing is claimed and nothing is sent until that is made good.
    CommitWatch& watch() { return m_watch; }
    bool halted() const { return m_watch.lost(); }
    // Writes again what this engine remembers and the records have lost; the operations that are to be asked for.
    Result<std::vector<Uuid>> restoreLost(db::Connection& connection);
    // Ends the lanes; the loop has ended before.
    void stop();

private:
    using Batch = std::vector<OperationPtr>;

    LaneOptions lane(std::string name, std::chrono::milliseconds patience);
    LaneOptions finishLane();
    LaneOptions replayLane();
    static Result<void> runChores(db::Connection& connection, std::vector<Chore>& chores);

    Result<void> claim(db::Connection& connection, Batch& batch);
    Result<void> readBack(db::Connection& connection, const Batch& losers);
    Result<db::Rows> readRecords(db::Connection& connection, const Batch& batch) const;
    Result<void> replay(db::Connection& connection, const Batch& batch);
    void refuseAsOverloaded(const OperationPtr& operation) const;
    void answerLoser(const OperationPtr& operation, const db::Rows& rows, int row);
    void answerByRecord(const OperationPtr& operation, const db::Rows& rows, int row);
    Result<void> accept(db::Connection& connection, Batch& batch);
    Result<void> openAttempts(db::Connection& connection, Batch& batch);
    Result<void> finish(db::Connection& connection, Batch& batch);
    Result<void> view(db::Connection& connection, std::vector<PaymentQuery>& queries);

    void toAccept(const OperationPtr& operation);
    void toSend(const OperationPtr& operation);
    // A provider as this engine calls it; the gate stays when the row changes.
    struct Known {
        std::shared_ptr<providers::Provider> provider;
        std::shared_ptr<providers::ProviderGate> gate;
        explicit operator bool() const { return provider != nullptr; }
    };
    void sendWith(const OperationPtr& operation, const Known& known);
    // Its slot has come: the attempt is committed, unless the provider has been found away meanwhile.
    void useSlot(const OperationPtr& operation, const Known& known, std::unique_ptr<providers::Slot> slot);
    // Calls `use` with the provider, now or once its row is read.
    using UseProvider = std::function<void(const Known&)>;
    void withProvider(const OperationPtr& operation, const UseProvider& use);
    void ask(const OperationPtr& operation);
    void answered(const OperationPtr& operation, providers::InquiryOutcome outcome);
    // No connection was had, so no attempt was opened.
    void notReached(const OperationPtr& operation, const std::string& why);
    // With no attempt open: waits, then tries again, or ends where the send deadline has passed.
    void sendAgainLater(const OperationPtr& operation);
    void toFinish(const OperationPtr& operation, std::string proof, providers::ChargeOutcome outcome);
    void afterFinish(const OperationPtr& operation, const db::Rows& rows, int row);
    void refuseClaims(const Batch& batch, const Error& error);
    void refuseAccepts(const Batch& batch, const Error& error);
    void refuseAttempts(const Batch& batch, const Error& error);
    void refuseFinishes(const Batch& batch, const Error& error);
    // Takes a claim back, and answers only then: who is told so must not be charged by whoever finds the claim.
    void dropClaim(const OperationPtr& operation, std::string_view why, Answer answer);

    void tellTheDue();
    void answerPending(const OperationPtr& operation);
    void leave(const OperationPtr& operation);
    void releaseLeft(Batch left);
    static db::Params claimParams(const Batch& batch, const PipelineOptions& options,
                                  const std::vector<std::int64_t>& closed);
    Result<void> writeAgain(db::Connection& connection, Batch& batch);
    void goOnAfterLoss(const Operation& operation, std::int64_t epoch, int attempt);
    void tick();
    void renewLeases();
    Result<void> loadProvider(db::Connection& connection, std::int64_t id);
    // Reads the rows of the providers in use again, so that a change of theirs holds within seconds.
    Result<void> refreshProviders(db::Connection& connection);
    Known provider(std::int64_t id) const;
    // Counts operations among their provider's from here to leave().
    void enter(const OperationPtr& operation, std::int64_t providerId);
    // Those for which no new work is taken on: their breaker is open, or they hold all they may.
    std::vector<std::int64_t> closedProviders() const;
    bool isCrowded(std::int64_t providerId) const;
    std::optional<Answer> notTakenOn(std::int64_t providerId) const;
    int retryAfter(std::int64_t providerId, Waiting waiting) const;

    http::Loop& m_loop;
    const PipelineOptions m_options;
    std::atomic<std::uint64_t> m_ended = 0;
    std::atomic<bool> m_changed = false;
    std::atomic<bool> m_draining = false;
    std::atomic<int> m_ticks = 0;

    mutable std::mutex m_mutex; // of the maps
    std::unordered_map<Uuid, OperationPtr> m_inFlight;
    std::map<std::int64_t, Recovered> m_recovered;
    std::vector<OperationPtr> m_unsent; // left while draining: their leases are given back at its end
    std::map<std::int64_t, Known> m_providers;
    std::map<std::int64_t, std::size_t> m_ofProvider; // of those in flight

    CommitWatch m_watch;
    KeyEvents m_events;
    Admission m_admission;
    Lane<Chore> m_chores;
    Lane<Chore> m_doors;
    Lane<PaymentQuery> m_views;
    Lane<OperationPtr> m_replays; // retries of what is known, while the engine is too busy for anything new
    Lane<OperationPtr> m_finishes;
    Lane<OperationPtr> m_attempts;
    Lane<OperationPtr> m_accepts;
    Lane<OperationPtr> m_claims;
};

} // namespace tekil::payments
