// The steps before anything is sent: the key is claimed, the money reserved.
#include "core/payments/pipeline.h"

#include "core/base/clock.h"
#include "core/base/fault.h"
#include "core/payments/batch.h"
#include "sql_queries.h"

#include <spdlog/spdlog.h>

#include <algorithm>

namespace tekil::payments {

namespace {

constexpr int kMaxTries = 8; // of a step that must be done again because somebody else was in the way

} // namespace

db::Params Pipeline::claimParams(const Batch& batch, const PipelineOptions& options,
                                 const std::vector<std::int64_t>& closed)
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
    params.add(kHashVersion).add(options.instance).add(milliseconds(options.lease)).add(closed);
    return params;
}

void Pipeline::submit(Submission submission)
{
    auto operation = std::make_shared<Operation>(std::move(submission));
    operation->started = bootTime();
    operation->due = operation->submission().wait.count() == 0;
    if (halted()) {
        operation->answer(refused(ErrorCode::DatabaseUnavailable, "the database has lost what it had confirmed"));
        return;
    }
    const auto late = delay();
    bool room = false;
    {
        const std::lock_guard lock(m_mutex);
        room = !m_admission.refuses(m_inFlight.size(), late, operation->started);
        if (room)
            m_inFlight.emplace(operation->id, operation);
    }
    if (!room) {
        // Nothing new is taken, but who asks for what has its answer already is told.
        if (!m_replays.push(operation))
            refuseAsOverloaded(operation);
    } else if (!m_claims.push(operation)) {
        leave(operation);
        refuseAsOverloaded(operation);
    }
}

// Before the claim: no key is burned.
void Pipeline::refuseAsOverloaded(const OperationPtr& operation) const
{
    Answer answer = databaseUp() ? refused(ErrorCode::Overloaded, "more payments wait than this engine can take now; "
                                                                  "send again after Retry-After")
                                 : refused(ErrorCode::DatabaseUnavailable, "the database does not answer");
    answer.retryAfterSeconds = Admission::retryAfterSeconds(delay());
    operation->answer(std::move(answer));
}

Result<void> Pipeline::replay(db::Connection& connection, const Batch& batch)
{
    const auto rows = readRecords(connection, batch);
    if (!rows)
        return rows.error();
    for (int row = 0; row < rows->count(); ++row) {
        const OperationPtr& operation = batch[static_cast<std::size_t>(row)];
        if (rows->optionalUuid(row, 1))
            answerByRecord(operation, *rows, row);
        else
            refuseAsOverloaded(operation);
    }
    return {};
}

Result<void> Pipeline::claim(db::Connection& connection, Batch& batch)
{
    if (fault::at(fault::ClaimBefore))
        return fault::away();
    const auto claimed = connection.run(sql::payments::claim, claimParams(batch, m_options, closedProviders()));
    if (!claimed)
        return claimed.error();
    if (fault::at(fault::ClaimAfter))
        return fault::inDoubt();
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
        enter(operation, won->second);
        m_watch.remember(operation);
        toAccept(operation);
    }
    batch = std::move(losers); // the winners are done, also if what follows must be tried again
    return batch.empty() ? Result<void>() : readBack(connection, batch);
}

Result<void> Pipeline::readBack(db::Connection& connection, const Batch& losers)
{
    const auto rows = readRecords(connection, losers);
    if (!rows)
        return rows.error();
    for (int row = 0; row < rows->count(); ++row)
        answerLoser(losers[static_cast<std::size_t>(row)], *rows, row);
    return {};
}

// What the rows say to each request, in their order.
Result<db::Rows> Pipeline::readRecords(db::Connection& connection, const Batch& batch) const
{
    std::vector<std::int64_t> merchants, amounts;
    std::vector<std::string> keys, currencies;
    std::vector<std::optional<std::int64_t>> accounts;
    std::vector<std::optional<std::string>> providerNames;
    for (const OperationPtr& operation : batch) {
        merchants.push_back(operation->submission().merchantId);
        keys.push_back(operation->submission().key);
        accounts.push_back(operation->request().accountId);
        providerNames.push_back(operation->request().provider);
        amounts.push_back(operation->request().amount.minor());
        currencies.emplace_back(operation->request().amount.currency().code());
    }
    db::Params params;
    params.add(merchants).add(keys).add(accounts).add(providerNames).add(amounts).add(currencies);
    auto rows = connection.run(sql::payments::readBack, params, db::Mode::Reads);
    if (rows)
        TEKIL_CHECK(rows->count() == static_cast<int>(batch.size()));
    return rows;
}

// Columns of payments.read_back: ord, operation, hash, status, response status and body, expired, hash version, lease
// left in ms, merchant known, account usable, provider known, account's currency, above the limit, provider id, age in
// ms, held, shrunk to a tombstone.
void Pipeline::answerLoser(const OperationPtr& operation, const db::Rows& rows, int row)
{
    const auto first = rows.optionalUuid(row, 1);
    if (first && *first == operation->id) { // our own claim, whose answer was lost
        enter(operation, rows.int64(row, 14));
        m_watch.remember(operation);
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
        operation->answer(
            refused(ErrorCode::CurrencyInvalid, "currency: the account is in " + std::string(rows.text(row, 12))));
    } else if (!rows.boolean(row, 11)) {
        operation->answer(refused(ErrorCode::RequestInvalid, "provider: there is no provider of this name"));
    } else if (rows.boolean(row, 13)) {
        operation->answer(refused(ErrorCode::AmountInvalid, "amount: above this merchant's limit for one payment"));
    } else if (auto answer = notTakenOn(rows.int64(row, 14))) {
        operation->answer(*std::move(answer));
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
    } else if (rows.boolean(row, 17) || (!rows.isNull(row, 5) && rows.boolean(row, 6))) {
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

                           .retryAfterSeconds = retryAfter(
                               rows.int64(row, 14),
                               {.isUnknown = status == "Unknown",
                                .isHeld = rows.boolean(row, 16),
                                .age = std::chrono::milliseconds(rows.int64(row, 15)),
                                .leaseLeft = std::chrono::milliseconds(rows.optionalInt64(row, 8).value_or(0))})});
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
    if (fault::at(fault::AcceptBefore))
        return fault::away();
    const auto rows = connection.run(sql::payments::accept, params);
    if (!rows)
        return rows.error();
    if (fault::at(fault::AcceptAfter))
        return fault::inDoubt();
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
            dropClaim(operation, "too_busy",
                      refused(ErrorCode::Overloaded, "the invoice is being worked on; send again"));
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
            dropClaim(operation, "cannot_be_booked",
                      refused(ErrorCode::RequestInvalid, "the payment cannot be booked as it is"));
        } else if (error.code == ErrorCode::SerializationFailed && !operation->recovered) {
            // Nothing of it happened, and its client is told to come again: the key is free for that.
            dropClaim(operation, "too_busy", {.kind = Answer::Kind::Refused, .error = error});
        } else {
            operation->answer({.kind = Answer::Kind::Refused, .error = error});
        }
        leave(operation);
    }
}

void Pipeline::dropClaim(const OperationPtr& operation, std::string_view why, Answer answer)
{
    const auto stays = [operation](const Error& error) {
        spdlog::warn("claim {} stays until its lease ends: {}", operation->id.text(), error.detail);
        operation->answer(refused(ErrorCode::Overloaded, "the request is being worked on; send it again"));
    };
    Chore chore{.run = [this, operation, why, answer = std::move(answer)](db::Connection& connection) -> Result<void> {
                    db::Params params;
                    params.add(operation->id).add(operation->epoch).add(m_options.instance).add(why);
                    const auto dropped = connection.run(sql::payments::dropClaim, params);
                    if (!dropped)
                        return dropped.error();
                    operation->answer(answer);
                    return {};
                },
                .failed = stays};
    if (!m_chores.push(std::move(chore)))
        stays(Error{ErrorCode::Overloaded, "too much waits"});
}

} // namespace tekil::payments
