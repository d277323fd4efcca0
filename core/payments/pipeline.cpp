#include "core/payments/pipeline.h"

#include "core/base/clock.h"
#include "core/providers/http_provider.h"
#include "sql_queries.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <charconv>
#include <thread>

namespace tekil::payments {

namespace {

using namespace std::chrono_literals;
using providers::Proof;

constexpr auto kClaimPatience = 2s;       // before the claim nothing has happened: the client is told to come again
constexpr auto kSendMargin = "500 ms";    // between the last byte and the end of the lease
constexpr auto kTick = 1s;
constexpr auto kDueTick = 20ms; // one sweep for all waits: a timer each would outlive its request
constexpr int kMaxTries = 8;              // of a step that must be done again because somebody else was in the way
constexpr int kProcessingRetrySeconds = 1;
constexpr int kUnknownRetrySeconds = 10;

providers::ChargeOutcome nothingSent()
{
    providers::ChargeOutcome outcome;
    outcome.proof = Proof::NotSent;
    outcome.code = "not_sent";
    return outcome;
}

std::string milliseconds(std::chrono::milliseconds time)
{
    return std::to_string(time.count()) + " ms";
}

Answer refused(ErrorCode code, std::string detail)
{
    return Answer{.kind = Answer::Kind::Refused, .error = Error{code, std::move(detail)}};
}

// Puts each row to its operation by the operation id in the given column.
class ByOperation {
public:
    explicit ByOperation(const std::vector<OperationPtr>& batch)
    {
        for (const OperationPtr& operation : batch)
            m_operations.emplace(operation->id, operation);
    }
    OperationPtr take(Uuid id)
    {
        const auto found = m_operations.find(id);
        if (found == m_operations.end())
            return nullptr;
        OperationPtr operation = std::move(found->second);
        m_operations.erase(found);
        return operation;
    }
    std::vector<OperationPtr> rest() const
    {
        std::vector<OperationPtr> left;
        for (const auto& [id, operation] : m_operations)
            left.push_back(operation);
        return left;
    }

private:
    std::unordered_map<Uuid, OperationPtr> m_operations;
};

std::vector<Uuid> idsOf(const std::vector<OperationPtr>& batch)
{
    std::vector<Uuid> ids;
    ids.reserve(batch.size());
    for (const OperationPtr& operation : batch)
        ids.push_back(operation->id);
    return ids;
}

std::vector<std::int64_t> epochsOf(const std::vector<OperationPtr>& batch)
{
    std::vector<std::int64_t> epochs;
    epochs.reserve(batch.size());
    for (const OperationPtr& operation : batch)
        epochs.push_back(operation->epoch);
    return epochs;
}

std::vector<int> readIntArray(std::string_view text)
{
    std::vector<int> numbers;
    const char* at = text.data();
    const char* end = text.data() + text.size();
    while (at < end) {
        int number = 0;
        const auto [stop, error] = std::from_chars(at, end, number);
        if (error == std::errc())
            numbers.push_back(number);
        at = error == std::errc() ? stop : at + 1;
    }
    return numbers;
}

db::Params claimParams(const std::vector<OperationPtr>& batch, const PipelineOptions& options)
{
    std::vector<std::int64_t> merchants, amounts;
    std::vector<std::string> keys, invoices, currencies;
    std::vector<Sha256> hashes;
    std::vector<std::optional<std::int64_t>> accounts;
    std::vector<std::optional<std::string>> providerNames, customers, types, descriptions;
    std::vector<bool> numbers;
    for (const OperationPtr& operation : batch) {
        const PaymentRequest& request = operation->request();
        merchants.push_back(operation->submission().merchantId);
        keys.push_back(operation->submission().key);
        hashes.push_back(operation->hash());
        accounts.push_back(request.accountId);
        providerNames.push_back(request.provider);
        customers.push_back(request.customerId);
        types.push_back(request.paymentType.value_or(std::string(kDefaultPaymentType)));
        invoices.push_back(request.invoiceId);
        numbers.push_back(request.invoiceIsNumber);
        amounts.push_back(request.amount.minor());
        currencies.emplace_back(request.amount.currency().code());
        descriptions.push_back(request.description);
    }
    db::Params params;
    params.add(merchants).add(keys).add(idsOf(batch)).add(hashes).add(accounts).add(providerNames).add(customers);
    params.add(types).add(invoices).add(numbers).add(amounts).add(currencies).add(descriptions);
    params.add(kHashVersion).add(options.instance).add(milliseconds(options.lease));
    return params;
}

} // namespace

LaneOptions Pipeline::lane(std::string name, std::chrono::milliseconds patience) const
{
    return LaneOptions{.name = std::move(name), .dsn = m_options.dsn, .niceness = m_options.niceness, .patience = patience};
}

Pipeline::Pipeline(http::Loop& loop, PipelineOptions options)
    : m_loop(loop), m_options(std::move(options)),
      m_chores(
          lane("chores", kClaimPatience),
          [](db::Connection& connection, std::vector<Chore>& chores) {
              // One at a time: a chore that fails must not take others with it.
              while (!chores.empty()) {
                  if (const auto done = chores.front().run(connection); !done) {
                      if (retryOf(done.error().code) != Retry::Never)
                          return Result<void>(done.error());
                      chores.front().failed(done.error());
                  }
                  chores.erase(chores.begin());
              }
              return Result<void>();
          },
          [](std::vector<Chore>& chores, const Error& error) {
              for (Chore& chore : chores)
                  chore.failed(error);
          }),
      m_views(
          lane("views", kClaimPatience),
          [this](db::Connection& connection, std::vector<PaymentQuery>& queries) { return view(connection, queries); },
          [](std::vector<PaymentQuery>& queries, const Error& error) {
              for (PaymentQuery& query : queries)
                  query.onView(error);
          }),
      m_finishes(
          lane("finish", 0ms), [this](db::Connection& connection, Batch& batch) { return finish(connection, batch); },
          [this](Batch& batch, const Error& error) { refuseFinishes(batch, error); }),
      m_attempts(
          lane("attempt", 0ms),
          [this](db::Connection& connection, Batch& batch) { return openAttempts(connection, batch); },
          [this](Batch& batch, const Error& error) {
              spdlog::error("attempts could not be opened: {}", error.detail);
              for (const OperationPtr& operation : batch) {
                  operation->slot.reset();
                  answerPending(operation);
                  leave(operation);
              }
          }),
      m_accepts(
          lane("accept", 0ms), [this](db::Connection& connection, Batch& batch) { return accept(connection, batch); },
          [this](Batch& batch, const Error& error) { refuseAccepts(batch, error); }),
      m_claims(
          lane("claim", kClaimPatience),
          [this](db::Connection& connection, Batch& batch) { return claim(connection, batch); },
          [this](Batch& batch, const Error& error) { refuseClaims(batch, error); })
{
    tellTheDue();
    renewLeases();
}

Pipeline::~Pipeline()
{
    stop();
}

void Pipeline::stop()
{
    m_claims.stop();
    m_accepts.stop();
    m_attempts.stop();
    m_finishes.stop();
    m_views.stop();
    m_chores.stop();
}

std::size_t Pipeline::inFlight() const
{
    const std::lock_guard lock(m_mutex);
    return m_inFlight.size();
}

bool Pipeline::drain(std::chrono::milliseconds within)
{
    const auto end = std::chrono::steady_clock::now() + within;
    while (inFlight() > 0 && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(10ms);
    return inFlight() == 0;
}

// ---- claim

void Pipeline::submit(Submission submission)
{
    auto operation = std::make_shared<Operation>(std::move(submission));
    operation->started = bootTime();
    operation->due = operation->submission().wait.count() == 0;
    bool room = false;
    {
        const std::lock_guard lock(m_mutex);
        room = m_inFlight.size() < m_options.maxInFlight;
        if (room)
            m_inFlight.emplace(operation->id, operation);
    }
    if (!room) {
        operation->answer(refused(ErrorCode::Overloaded, "too many payments are in flight; send again later"));
        return;
    }
    if (!m_claims.push(operation)) {
        operation->answer(refused(ErrorCode::Overloaded, "too many requests wait; send again later"));
        leave(operation);
    }
}

Result<void> Pipeline::claim(db::Connection& connection, Batch& batch)
{
    const auto claimed = connection.run(sql::payments::claim, claimParams(batch, m_options));
    if (!claimed)
        return claimed.error();
    std::unordered_map<Uuid, std::int64_t> providerOf;
    for (int row = 0; row < claimed->count(); ++row)
        providerOf.emplace(claimed->uuid(row, 0), claimed->int64(row, 1));
    Batch losers;
    for (const OperationPtr& operation : batch) { // in the order of arrival, which decides who gets the last money
        const auto won = providerOf.find(operation->id);
        if (won == providerOf.end()) {
            losers.push_back(operation);
            continue;
        }
        operation->providerId = won->second;
        toAccept(operation);
    }
    batch = std::move(losers); // the winners are done, also if what follows must be tried again
    return batch.empty() ? Result<void>() : readBack(connection, batch);
}

Result<void> Pipeline::readBack(db::Connection& connection, const Batch& losers)
{
    std::vector<std::int64_t> merchants, amounts;
    std::vector<std::string> keys, currencies;
    std::vector<std::optional<std::int64_t>> accounts;
    std::vector<std::optional<std::string>> providerNames;
    for (const OperationPtr& operation : losers) {
        merchants.push_back(operation->submission().merchantId);
        keys.push_back(operation->submission().key);
        accounts.push_back(operation->request().accountId);
        providerNames.push_back(operation->request().provider);
        amounts.push_back(operation->request().amount.minor());
        currencies.emplace_back(operation->request().amount.currency().code());
    }
    db::Params params;
    params.add(merchants).add(keys).add(accounts).add(providerNames).add(amounts).add(currencies);
    const auto rows = connection.run(sql::payments::readBack, params, db::Mode::Reads);
    if (!rows)
        return rows.error();
    TEKIL_CHECK(rows->count() == static_cast<int>(losers.size()));
    for (int row = 0; row < rows->count(); ++row)
        answerLoser(losers[static_cast<std::size_t>(row)], *rows, row);
    return {};
}

// Columns of payments.read_back: ord, operation, hash, status, response status and body, expired, hash version, lease
// left in ms, merchant known, account usable, provider known, account's currency, above the limit, provider id.
void Pipeline::answerLoser(const OperationPtr& operation, const db::Rows& rows, int row)
{
    const auto first = rows.optionalUuid(row, 1);
    if (first && *first == operation->id) { // our own claim, whose answer was lost
        operation->providerId = rows.int64(row, 14);
        toAccept(operation);
        return;
    }
    if (first) {
        answerByRecord(operation, rows, row);
    } else if (!rows.boolean(row, 9)) {
        operation->answer(refused(ErrorCode::Forbidden, "this merchant may not pay"));
    } else if (!rows.boolean(row, 10)) {
        operation->answer(refused(ErrorCode::NotFound, "accountId: this merchant has no such account"));
    } else if (rows.text(row, 12) != operation->request().amount.currency().code()) {
        operation->answer(refused(ErrorCode::CurrencyInvalid,
                                  "currency: the account is in " + std::string(rows.text(row, 12))));
    } else if (!rows.boolean(row, 11)) {
        operation->answer(refused(ErrorCode::RequestInvalid, "provider: there is no provider of this name"));
    } else if (rows.boolean(row, 13)) {
        operation->answer(refused(ErrorCode::AmountInvalid, "amount: above this merchant's limit for one payment"));
    } else if (++operation->tries < kMaxTries && m_claims.push(operation)) {
        return; // what stood in the way has gone meanwhile
    } else {
        operation->answer(refused(ErrorCode::Overloaded, "the key is being worked on; send again"));
    }
    leave(operation);
}

void Pipeline::answerByRecord(const OperationPtr& operation, const db::Rows& rows, int row)
{
    const Submission& submission = operation->submission();
    const Uuid first = rows.uuid(row, 1);
    const std::string_view status = rows.text(row, 3);
    const std::string hash = rows.bytes(row, 2);
    const bool same = rows.int64(row, 7) == kHashVersion
        && std::equal(hash.begin(), hash.end(), operation->hash().begin(), operation->hash().end(),
                      [](char a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; });
    if (!same) {
        m_events.note(submission.merchantId, submission.key, first, "mismatch");
        operation->answer({.kind = Answer::Kind::Mismatch});
    } else if (!rows.isNull(row, 5) && rows.boolean(row, 6)) {
        operation->answer({.kind = Answer::Kind::Expired});
    } else if (!rows.isNull(row, 5)) {
        m_events.note(submission.merchantId, submission.key, first, "replay");
        operation->answer({.kind = Answer::Kind::Ended,
                           .status = static_cast<int>(rows.int64(row, 4)),
                           .body = std::string(rows.text(row, 5)),
                           .replayed = true,
                           .operationId = first});
    } else {
        m_events.note(submission.merchantId, submission.key, first, "duplicate");
        operation->answer({.kind = Answer::Kind::InFlight,
                           .operationId = first,
                           .retryAfterSeconds = status == "Unknown" ? kUnknownRetrySeconds : kProcessingRetrySeconds});
    }
}

void Pipeline::refuseClaims(const Batch& batch, const Error& error)
{
    for (const OperationPtr& operation : batch) {
        if (error.code == ErrorCode::ConstraintViolated) {
            spdlog::warn("a request was refused by the database: {}", error.detail);
            operation->answer(refused(ErrorCode::RequestInvalid, "the request cannot be stored as it is"));
        } else {
            operation->answer({.kind = Answer::Kind::Refused, .error = error});
        }
        leave(operation);
    }
}

// ---- accept

void Pipeline::toAccept(const OperationPtr& operation)
{
    operation->tries = 0;
    if (!m_accepts.push(operation)) {
        operation->answer(refused(ErrorCode::Draining, "this engine is being shut down; send again"));
        leave(operation);
    }
}

Result<void> Pipeline::accept(db::Connection& connection, Batch& batch)
{
    db::Params params;
    params.add(idsOf(batch)).add(epochsOf(batch)).add(m_options.instance);
    const auto rows = connection.run(sql::payments::accept, params);
    if (!rows)
        return rows.error();
    ByOperation waiting(batch);
    for (int row = 0; row < rows->count(); ++row) {
        const OperationPtr operation = waiting.take(rows->uuid(row, 0));
        const std::string_view outcome = rows->text(row, 1);
        if (outcome == "accepted") {
            m_changed = true;
            operation->accepted = true;
            if (operation->due)
                answerPending(operation);
            toSend(operation);
            continue;
        }
        if (outcome == "again" && ++operation->tries < kMaxTries && m_accepts.push(operation))
            continue;
        if (outcome == "declined") {
            m_changed = true;
            ++m_ended;
            operation->answer({.kind = Answer::Kind::Ended,
                               .status = static_cast<int>(rows->int64(row, 3)),
                               .body = std::string(rows->text(row, 4)),
                               .operationId = operation->id});
        } else if (outcome == "duplicate") {
            operation->answer({.kind = Answer::Kind::Duplicate, .operationId = rows->uuid(row, 2)});
        } else if (outcome == "again") {
            dropClaim(operation);
            operation->answer(refused(ErrorCode::Overloaded, "the invoice is being worked on; send again"));
        } else {
            operation->answer(refused(ErrorCode::Overloaded, "another engine works on it; send again"));
        }
        leave(operation);
    }
    return {};
}

void Pipeline::refuseAccepts(const Batch& batch, const Error& error)
{
    spdlog::error("claims could not be accepted: {}", error.detail);
    for (const OperationPtr& operation : batch) {
        if (error.code == ErrorCode::ConstraintViolated) {
            dropClaim(operation);
            operation->answer(refused(ErrorCode::RequestInvalid, "the payment cannot be booked as it is"));
        } else {
            operation->answer({.kind = Answer::Kind::Refused, .error = error});
        }
        leave(operation);
    }
}

void Pipeline::dropClaim(const OperationPtr& operation)
{
    const bool taken = m_chores.push(Chore{[this, operation](db::Connection& connection) -> Result<void> {
        db::Params params;
        params.add(operation->id).add(operation->epoch).add(m_options.instance).add("cannot_be_booked");
        const auto dropped = connection.run(sql::payments::dropClaim, params);
        return dropped ? Result<void>() : dropped.error();
    }});
    if (!taken)
        spdlog::warn("claim {} stays until its lease ends", operation->id.text());
}

// ---- send

std::shared_ptr<providers::Provider> Pipeline::provider(std::int64_t id) const
{
    const std::lock_guard lock(m_mutex);
    const auto found = m_providers.find(id);
    return found == m_providers.end() ? nullptr : found->second;
}

Result<void> Pipeline::loadProvider(db::Connection& connection, std::int64_t id)
{
    if (provider(id))
        return {};
    const auto rows = connection.run(sql::setup::provider, db::Params().add(id), db::Mode::Reads);
    if (!rows)
        return rows.error();
    if (rows->count() != 1)
        return Error{ErrorCode::NotFound, "provider " + std::to_string(id) + " is not in the database"};
    auto made = providers::HttpProvider::create(
        m_loop, {.id = id,
                 .name = std::string(rows->text(0, 1)),
                 .baseUrl = std::string(rows->text(0, 2)),
                 .canIdempotent = rows->boolean(0, 3),
                 .canInquiry = rows->boolean(0, 4),
                 .timeout = std::chrono::milliseconds(rows->int64(0, 5)),
                 .maxConcurrency = static_cast<std::size_t>(rows->int64(0, 6)),
                 .definiteRefusals = readIntArray(rows->text(0, 7)),
                 .sendDeadline = std::chrono::milliseconds(rows->int64(0, 8))});
    if (!made)
        return made.error();
    const std::lock_guard lock(m_mutex);
    m_providers.emplace(id, *std::move(made));
    return {};
}

void Pipeline::toSend(const OperationPtr& operation)
{
    if (operation->lost) {
        answerPending(operation);
        leave(operation);
        return;
    }
    withProvider(operation, [this, operation](const std::shared_ptr<providers::Provider>& known) {
        sendWith(operation, known);
    });
}

void Pipeline::withProvider(const OperationPtr& operation, const UseProvider& use)
{
    if (const auto known = provider(operation->providerId)) {
        use(known);
        return;
    }
    const auto failed = [this, operation](const Error& error) { sendAgainLater(operation, error.detail); };
    const bool taken = m_chores.push(Chore{[this, operation, use](db::Connection& connection) -> Result<void> {
                                               if (auto loaded = loadProvider(connection, operation->providerId); !loaded)
                                                   return loaded;
                                               use(provider(operation->providerId));
                                               return {};
                                           },
                                           failed});
    if (!taken)
        failed(Error{ErrorCode::Overloaded, "too much waits"});
}

void Pipeline::sendWith(const OperationPtr& operation, const std::shared_ptr<providers::Provider>& known)
{
    if (operation->chargeBody.empty())
        operation->chargeBody =
            known->chargeBody(operation->id, operation->request().invoiceId, operation->request().amount);
    known->acquire([this, operation](Result<std::unique_ptr<providers::Slot>> slot) {
        if (!slot) {
            sendAgainLater(operation, slot.error().detail);
            return;
        }
        operation->slot = *std::move(slot);
        if (!m_attempts.push(operation)) {
            operation->slot.reset();
            answerPending(operation);
            leave(operation);
        }
    });
}

// ---- going on with what was taken over

void Pipeline::resume(Resumed resumed, ResumeAt step)
{
    PaymentRequest request{.invoiceId = std::move(resumed.invoiceId),
                           .invoiceIsNumber = resumed.invoiceIsNumber,
                           .amount = resumed.amount,
                           .accountId = {},
                           .customerId = {},
                           .paymentType = {},
                           .description = {},
                           .provider = {}};
    const auto operation = std::make_shared<Operation>(resumed.operationId,
                                                       Submission{.merchantId = resumed.merchantId,
                                                                  .key = std::move(resumed.key),
                                                                  .request = std::move(request),
                                                                  .wait = std::chrono::hours(24),
                                                                  .onAnswer = [](const Answer&) {}});
    operation->answer({}); // its client has gone, or asks anew
    operation->started = bootTime();
    operation->recovered = true;
    operation->accepted = step != ResumeAt::Accept;
    operation->epoch = resumed.epoch;
    operation->providerId = resumed.providerId;
    operation->chargeBody = std::move(resumed.chargeBody);
    {
        const std::lock_guard lock(m_mutex);
        if (!m_inFlight.emplace(operation->id, operation).second)
            return; // still in our hands, though its lease has ended: that one finds it lost and lets go
        ++m_recovered;
    }
    switch (step) {
    case ResumeAt::Accept:
        toAccept(operation);
        return;
    case ResumeAt::Send:
        toSend(operation);
        return;
    case ResumeAt::CloseAttempt:
        operation->attempt = resumed.openAttempt;
        operation->outcome.code = "sender_lost";
        toFinish(operation, "unknown", operation->outcome);
        return;
    case ResumeAt::Ask:
    case ResumeAt::AskThenSend:
        operation->sendIfNotFound = step == ResumeAt::AskThenSend;
        ask(operation);
        return;
    case ResumeAt::GiveBack:
        operation->outcome.code = "no_way_to_ask";
        toFinish(operation, "unknown", operation->outcome);
        return;
    }
}

void Pipeline::ask(const OperationPtr& operation)
{
    withProvider(operation, [this, operation](const std::shared_ptr<providers::Provider>& known) {
        known->inquire(operation->id, operation->request().amount, [this, operation](providers::InquiryOutcome outcome) {
            if (outcome.notFound && operation->sendIfNotFound) {
                m_events.note(operation->submission().merchantId, operation->submission().key, operation->id, "inquiry");
                toSend(operation);
                return;
            }
            operation->asked = true;
            std::string proof(outcome.notFound ? "not_found" : nameOf(outcome.charge.proof));
            toFinish(operation, std::move(proof), std::move(outcome.charge));
        });
    });
}

Result<void> Pipeline::openAttempts(db::Connection& connection, Batch& batch)
{
    std::vector<std::string> bodies;
    for (const OperationPtr& operation : batch)
        bodies.push_back(operation->chargeBody);
    db::Params params;
    params.add(idsOf(batch)).add(epochsOf(batch)).add(bodies).add(m_options.instance);
    params.add(milliseconds(m_options.lease)).add(kSendMargin);
    // Read before the server counts what remains, so that our end is never later than the row's.
    const auto before = bootTime();
    const auto rows = connection.run(sql::payments::openAttempts, params);
    if (!rows)
        return rows.error();
    ByOperation waiting(batch);
    for (int row = 0; row < rows->count(); ++row) {
        const OperationPtr operation = waiting.take(rows->uuid(row, 0));
        auto slot = std::move(operation->slot);
        if (!rows->isNull(row, 4)) {
            toFinish(operation, "expired", nothingSent());
            continue;
        }
        operation->attempt = static_cast<int>(rows->int64(row, 1));
        providers::Charge charge{.operationId = operation->id,
                                 .amount = operation->request().amount,
                                 .body = operation->chargeBody,
                                 .sendBefore = std::string(rows->text(row, 2)),
                                 .sendBeforeBoot = before + std::chrono::microseconds(rows->int64(row, 3)),
                                 .firstAttempt = operation->attempt == 1};
        std::move(*slot).charge(std::move(charge), [this, operation](providers::ChargeOutcome outcome) {
            std::string proof(nameOf(outcome.proof));
            toFinish(operation, std::move(proof), std::move(outcome));
        });
    }
    for (const OperationPtr& operation : waiting.rest()) {
        operation->slot.reset();
        operation->lost = true;
        answerPending(operation);
        leave(operation);
    }
    return {};
}

void Pipeline::sendAgainLater(const OperationPtr& operation, const std::string& why)
{
    if (operation->recovered) { // it comes back by itself when its lease ends
        leave(operation);
        return;
    }
    const auto known = provider(operation->providerId);
    m_events.note(operation->submission().merchantId, operation->submission().key, operation->id, "not_sent");
    if (operation->tries == 0)
        spdlog::warn("payment {} cannot be sent yet: {}", operation->id.text(), why);
    if (known && bootTime() - operation->started > known->row().sendDeadline) {
        toFinish(operation, "expired", nothingSent());
        return;
    }
    const auto wait = std::min<std::chrono::milliseconds>(200ms * (1 << std::min(operation->tries, 5)), 5s);
    ++operation->tries;
    m_loop.after(wait, [this, operation] { toSend(operation); });
}

// ---- finish

void Pipeline::toFinish(const OperationPtr& operation, std::string proof, providers::ChargeOutcome outcome)
{
    operation->proof = std::move(proof);
    operation->outcome = std::move(outcome);
    if (!m_finishes.push(operation)) {
        answerPending(operation);
        leave(operation);
    }
}

Result<void> Pipeline::finish(db::Connection& connection, Batch& batch)
{
    std::vector<std::optional<std::int64_t>> attempts, statuses;
    std::vector<std::string> proofs;
    std::vector<std::optional<std::string>> references, codes, answers;
    std::vector<bool> asked;
    for (const OperationPtr& operation : batch) {
        asked.push_back(operation->asked);
        attempts.push_back(operation->attempt > 0 ? std::optional<std::int64_t>(operation->attempt) : std::nullopt);
        proofs.push_back(operation->proof);
        references.push_back(operation->outcome.reference);
        codes.push_back(operation->outcome.code);
        statuses.push_back(operation->outcome.httpStatus);
        answers.push_back(operation->outcome.answer);
    }
    db::Params params;
    params.add(idsOf(batch)).add(epochsOf(batch)).add(attempts).add(proofs).add(references).add(codes).add(statuses);
    params.add(answers).add(m_options.instance).add(asked);
    const auto rows = connection.run(sql::payments::finish, params);
    if (!rows)
        return rows.error();
    m_changed = true;
    ByOperation waiting(batch);
    for (int row = 0; row < rows->count(); ++row)
        afterFinish(waiting.take(rows->uuid(row, 0)), *rows, row);
    return {};
}

void Pipeline::afterFinish(const OperationPtr& operation, const db::Rows& rows, int row)
{
    operation->attempt = 0;
    const bool lost = rows.text(row, 1) == "lost";
    if (!rows.isNull(row, 4)) {
        ++m_ended;
        operation->answer({.kind = Answer::Kind::Ended,
                           .status = static_cast<int>(rows.int64(row, 3)),
                           .body = std::string(rows.text(row, 4)),
                           .operationId = operation->id});
    } else if (!lost && rows.text(row, 2) == "Processing") {
        sendAgainLater(operation, "nothing was sent");
        return;
    } else {
        answerPending(operation);
    }
    leave(operation);
}

void Pipeline::refuseFinishes(const Batch& batch, const Error& error)
{
    spdlog::error("outcomes could not be booked: {}", error.detail);
    for (const OperationPtr& operation : batch) {
        // The provider has answered; what cannot be booked is not known to the books, and people must see it.
        if (error.code == ErrorCode::ConstraintViolated && operation->proof != "unknown") {
            operation->outcome.code = "posting_failed";
            toFinish(operation, "unknown", operation->outcome);
            continue;
        }
        answerPending(operation);
        leave(operation);
    }
}

// ---- the client's side, leases

void Pipeline::tellTheDue()
{
    Batch due;
    {
        const auto now = bootTime();
        const std::lock_guard lock(m_mutex);
        for (const auto& [id, operation] : m_inFlight)
            if (!operation->due && now - operation->started >= operation->submission().wait)
                due.push_back(operation);
    }
    for (const OperationPtr& operation : due) {
        operation->due = true; // what is accepted later than this is told then
        if (operation->accepted)
            answerPending(operation);
    }
    m_loop.after(kDueTick, [this] { tellTheDue(); });
}

void Pipeline::answerPending(const OperationPtr& operation)
{
    if (operation->isAnswered())
        return;
    lookUp({.merchantId = operation->submission().merchantId,
            .operationId = operation->id,
            .key = std::nullopt,
            .onView = [operation](const Result<std::optional<PaymentView>>& view) {
                if (!view)
                    operation->answer({.kind = Answer::Kind::Refused, .error = view.error()});
                else if (!*view)
                    operation->answer(refused(ErrorCode::Overloaded, "the request is being worked on; send again"));
                else if ((*view)->status == "Completed" || (*view)->status == "Failed")
                    operation->answer({.kind = Answer::Kind::Ended,
                                       .status = (*view)->status == "Completed" ? 201 : 402,
                                       .body = (*view)->body,
                                       .operationId = operation->id});
                else
                    operation->answer({.kind = Answer::Kind::Pending,
                                       .status = 202,
                                       .body = (*view)->body,
                                       .operationId = operation->id});
            }});
}

void Pipeline::lookUp(PaymentQuery query)
{
    const OnPaymentView onView = query.onView;
    if (!m_views.push(std::move(query)))
        onView(Error{ErrorCode::Overloaded, "too many requests wait; send again later"});
}

Result<void> Pipeline::view(db::Connection& connection, std::vector<PaymentQuery>& queries)
{
    std::vector<std::int64_t> merchants;
    std::vector<std::optional<Uuid>> operations;
    std::vector<std::optional<std::string>> keys;
    for (const PaymentQuery& query : queries) {
        merchants.push_back(query.merchantId);
        operations.push_back(query.operationId);
        keys.push_back(query.key);
    }
    const auto rows = connection.run(sql::payments::lookUp, db::Params().add(merchants).add(operations).add(keys),
                                     db::Mode::Reads);
    if (!rows)
        return rows.error();
    std::vector<std::optional<PaymentView>> found(queries.size());
    for (int row = 0; row < rows->count(); ++row)
        found[static_cast<std::size_t>(rows->int64(row, 0) - 1)] = PaymentView{
            rows->uuid(row, 1), std::string(rows->text(row, 2)), std::string(rows->text(row, 3))};
    for (std::size_t i = 0; i < queries.size(); ++i)
        queries[i].onView(std::move(found[i]));
    return {};
}

void Pipeline::leave(const OperationPtr& operation)
{
    const std::lock_guard lock(m_mutex);
    if (m_inFlight.erase(operation->id) > 0 && operation->recovered)
        --m_recovered;
}

Result<void> Pipeline::flushEvents(db::Connection& connection)
{
    return m_events.flush(connection, m_options.instance);
}

void Pipeline::renewLeases()
{
    Batch held;
    {
        const auto now = bootTime();
        const std::lock_guard lock(m_mutex);
        for (const auto& [id, operation] : m_inFlight)
            if (operation->accepted && now - std::max(operation->started, operation->renewed) > m_options.lease / 3) {
                operation->renewed = now;
                held.push_back(operation);
            }
    }
    const bool taken = m_chores.push(Chore{[this, held](db::Connection& connection) -> Result<void> {
        if (const auto flushed = flushEvents(connection); !flushed)
            return flushed;
        if (held.empty())
            return {};
        db::Params params;
        params.add(idsOf(held)).add(epochsOf(held)).add(milliseconds(m_options.lease));
        const auto renewed = connection.run(sql::payments::renewLeases, params);
        if (!renewed)
            return renewed.error();
        ByOperation waiting(held);
        for (int row = 0; row < renewed->count(); ++row)
            waiting.take(renewed->uuid(row, 0));
        for (const OperationPtr& operation : waiting.rest())
            operation->lost = true;
        return {};
    }});
    if (!taken)
        spdlog::warn("leases could not be renewed: too much waits");
    m_loop.after(kTick, [this] { renewLeases(); });
}

} // namespace tekil::payments
