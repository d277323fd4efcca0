// The steps that speak to providers: a slot, the committed attempt, the call; asking; going on after a takeover.
#include "core/payments/pipeline.h"

#include "core/base/clock.h"
#include "core/base/fault.h"
#include "core/payments/batch.h"
#include "core/providers/http_provider.h"
#include "core/providers/provider_store.h"
#include "sql_queries.h"

#include <spdlog/spdlog.h>

#include <algorithm>

namespace tekil::payments {

namespace {

using namespace std::chrono_literals;
using providers::BreakerRules;
using providers::Proof;

// A probe is a call: it is over when its connection or its answer has not come in time.
BreakerRules breakerRules(const providers::ProviderRow& row)
{
    BreakerRules rules = row.breaker;
    rules.probeLimit = row.timeout * 2 + 2s;
    return rules;
}

constexpr auto kSendMargin = "500 ms"; // between the last byte and the end of the lease

providers::ChargeOutcome nothingSent()
{
    providers::ChargeOutcome outcome;
    outcome.proof = Proof::NotSent;
    outcome.code = "not_sent";
    return outcome;
}

} // namespace

Pipeline::Known Pipeline::provider(std::int64_t id) const
{
    const std::lock_guard lock(m_mutex);
    const auto found = m_providers.find(id);
    return found == m_providers.end() ? Known() : found->second;
}

Result<void> Pipeline::loadProvider(db::Connection& connection, std::int64_t id)
{
    auto row = providers::readProvider(connection, id);
    if (!row)
        return row.error();
    const Known known = provider(id);
    if (known && known.provider->row() == *row)
        return {};
    const BreakerRules rules = breakerRules(*row);
    // Of its connections, half are left to new charges.
    const std::size_t maxAsking = std::max<std::size_t>(row->maxConcurrency / 2, 1);
    auto made = providers::HttpProvider::create(m_loop, *std::move(row));
    if (!made)
        return made.error();
    const std::lock_guard lock(m_mutex);
    Known& entry = m_providers[id];
    entry.provider = *std::move(made); // calls under way keep the one they began with
    if (entry.gate)
        entry.gate->setRules(rules, maxAsking);
    else
        entry.gate = std::make_shared<providers::ProviderGate>(rules, maxAsking);
    return {};
}

Result<void> Pipeline::refreshProviders(db::Connection& connection)
{
    std::vector<std::int64_t> ids;
    {
        const std::lock_guard lock(m_mutex);
        for (const auto& [id, known] : m_providers)
            ids.push_back(id);
    }
    for (const std::int64_t id : ids)
        if (const auto loaded = loadProvider(connection, id); !loaded)
            return loaded;
    return {};
}

void Pipeline::toSend(const OperationPtr& operation)
{
    if (operation->lost) {
        answerPending(operation);
        leave(operation);
        return;
    }
    withProvider(operation, [this, operation](const Known& known) { sendWith(operation, known); });
}

void Pipeline::withProvider(const OperationPtr& operation, const UseProvider& use)
{
    if (const Known known = provider(operation->providerId)) {
        use(known);
        return;
    }
    const auto failed = [this, operation](const Error& error) { notReached(operation, error.detail); };
    const bool taken = m_chores.push(Chore{[this, operation, use](db::Connection& connection) -> Result<void> {
                                               if (auto loaded = loadProvider(connection, operation->providerId);
                                                   !loaded)
                                                   return loaded;
                                               use(provider(operation->providerId));
                                               return {};
                                           },
                                           failed});
    if (!taken)
        failed(Error{ErrorCode::Overloaded, "too much waits"});
}

void Pipeline::sendWith(const OperationPtr& operation, const Known& known)
{
    if (operation->chargeBody.empty())
        operation->chargeBody = known.provider->chargeBody(operation->id, operation->request().invoiceId,
                                                           operation->request().amount);
    if (halted()) {
        sendAgainLater(operation);
        return;
    }
    operation->probes = known.gate->state() == providers::BreakerState::HalfOpen;
    if (!known.gate->admit()) {
        sendAgainLater(operation);
        return;
    }
    known.provider->acquire([this, operation, known](Result<std::unique_ptr<providers::Slot>> slot) {
        if (slot) {
            useSlot(operation, known, *std::move(slot));
            return;
        }
        if (slot.error().code == ErrorCode::NotSent)
            known.gate->unreached();
        notReached(operation, slot.error().detail);
    });
}

void Pipeline::useSlot(const OperationPtr& operation, const Known& known, std::unique_ptr<providers::Slot> slot)
{
    if (!operation->probes && known.gate->state() != providers::BreakerState::Closed) {
        slot.reset();
        sendAgainLater(operation);
        return;
    }
    operation->slot = std::move(slot);
    if (!m_attempts.push(operation)) {
        operation->slot.reset();
        answerPending(operation);
        leave(operation);
    }
}

Result<void> Pipeline::openAttempts(db::Connection& connection, Batch& batch)
{
    if (halted()) {
        for (const OperationPtr& operation : batch) {
            operation->slot.reset();
            sendAgainLater(operation);
        }
        return {};
    }
    std::vector<std::string> bodies;
    for (const OperationPtr& operation : batch)
        bodies.push_back(operation->chargeBody);
    db::Params params;
    params.add(idsOf(batch)).add(epochsOf(batch)).add(bodies).add(m_options.instance);
    params.add(milliseconds(m_options.lease)).add(kSendMargin);
    // Read before the server counts what remains, so that our end is never later than the row's.
    const auto before = bootTime();
    if (fault::at(fault::AttemptBefore))
        return fault::away();
    const auto rows = connection.run(sql::payments::openAttempts, params);
    if (!rows)
        return rows.error();
    if (fault::at(fault::AttemptAfter))
        return fault::inDoubt();
    ByOperation waiting(batch);
    for (int row = 0; row < rows->count(); ++row) {
        const OperationPtr operation = waiting.take(rows->uuid(row, 0));
        auto slot = std::move(operation->slot);
        if (!rows->isNull(row, 4)) {
            toFinish(operation, "expired", nothingSent());
            continue;
        }
        operation->attempt = static_cast<int>(rows->int64(row, 1));
        operation->wasSent = true;
        operation->attemptBegan = before;
        operation->sendBefore = before + std::chrono::microseconds(rows->int64(row, 3));
        providers::Charge charge{.operationId = operation->id,
                                 .amount = operation->request().amount,
                                 .body = operation->chargeBody,
                                 .sendBefore = std::string(rows->text(row, 2)),
                                 .sendBeforeBoot = operation->sendBefore,
                                 .firstAttempt = operation->attempt == 1};
        const Known known = provider(operation->providerId);
        if (operation->lost || halted()) { // found out since: the lease, or what the database had confirmed
            slot.reset();
            toFinish(operation, "not_sent", nothingSent());
            continue;
        }
        std::move(*slot).charge(std::move(charge), [this, operation, known](providers::ChargeOutcome outcome) {
            if (outcome.proof != Proof::NotSent)
                known.gate->ended(outcome.unreached, bootTime() - outcome.sentAt);
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

void Pipeline::refuseAttempts(const Batch& batch, const Error& error)
{
    spdlog::error("attempts could not be opened: {}", error.detail);
    for (const OperationPtr& operation : batch) {
        operation->slot.reset(); // nothing was sent over it, and others may use it
        if (m_attempts.connected() || error.code == ErrorCode::ConstraintViolated) {
            sendAgainLater(operation);
            continue;
        }
        answerPending(operation);
        leave(operation);
    }
}

void Pipeline::sendAgainLater(const OperationPtr& operation)
{
    // Taken over, it comes back by itself when its lease ends. And while one provider is away, what its clients no
    // longer wait for must not fill the room that the others need.
    if (operation->recovered
        && operation->tries++ == 0) { // its age is in its rows: they say whether it may still be sent
        toFinish(operation, "expired", nothingSent());
        return;
    }
    if (m_draining) {
        const std::lock_guard lock(m_mutex);
        m_unsent.push_back(operation);
    }
    if (operation->recovered || m_draining || (operation->due && isCrowded(operation->providerId))) {
        leave(operation);
        return;
    }
    const Known known = provider(operation->providerId);
    const auto deadline = known ? known.provider->row().sendDeadline : providers::ProviderRow().sendDeadline;
    const auto wait = std::min<std::chrono::milliseconds>(200ms * (1 << std::min(operation->tries, 5)), 5s);
    ++operation->tries;
    m_loop.after(wait, [this, operation, deadline] {
        if (bootTime() - operation->started > deadline)
            toFinish(operation, "expired", nothingSent());
        else
            toSend(operation);
    });
}

void Pipeline::notReached(const OperationPtr& operation, const std::string& why)
{
    if (operation->tries == 0)
        spdlog::warn("payment {} cannot be sent yet: {}", operation->id.text(), why);
    m_events.note(operation->submission().merchantId, operation->submission().key, operation->id, "not_sent");
    sendAgainLater(operation);
}

void Pipeline::ask(const OperationPtr& operation)
{
    withProvider(operation, [this, operation](const Known& known) {
        known.gate->ask([this, operation, known] {
            if (operation->lost || !known.gate->admit()) {
                leave(operation); // due again when its lease ends
                return false;
            }
            const auto began = bootTime();
            known.provider->inquire(operation->id, operation->request().amount,
                                    [this, operation, known, began](providers::InquiryOutcome outcome) {
                                        known.gate->ended(outcome.charge.unreached, bootTime() - began);
                                        known.gate->asked();
                                        answered(operation, std::move(outcome));
                                    });
            return true;
        });
    });
}

// What an inquiry brought.
void Pipeline::answered(const OperationPtr& operation, providers::InquiryOutcome outcome)
{
    if (outcome.notFound && operation->sendIfNotFound) {
        m_events.note(operation->submission().merchantId, operation->submission().key, operation->id, "inquiry");
        toSend(operation);
        return;
    }
    operation->asked = true;
    // By the time of asking: a charge may arrive between that and the booking of the answer.
    const bool notCharged = outcome.notFound && operation->graceOver;
    std::string proof(notCharged ? "not_found" : nameOf(outcome.charge.proof));
    toFinish(operation, std::move(proof), std::move(outcome.charge));
}

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
    operation->afterEnd = step == ResumeAt::AskEnded;
    operation->accepted = step != ResumeAt::Accept;
    operation->epoch = resumed.epoch;
    operation->providerId = resumed.providerId;
    operation->chargeBody = std::move(resumed.chargeBody);
    operation->graceOver = resumed.graceOver;
    {
        const std::lock_guard lock(m_mutex);
        if (!m_inFlight.emplace(operation->id, operation).second)
            return; // still in our hands, though its lease has ended: that one finds it lost and lets go
        ++m_recovered[operation->providerId].held;
        operation->counted = true;
        ++m_ofProvider[operation->providerId];
    }
    switch (step) {
    case ResumeAt::Accept: toAccept(operation); return;
    case ResumeAt::Send: toSend(operation); return;
    case ResumeAt::CloseAttempt:
        operation->attempt = resumed.openAttempt;
        operation->outcome.code = "sender_lost";
        toFinish(operation, "unknown", operation->outcome);
        return;
    case ResumeAt::Ask:
    case ResumeAt::AskEnded:
    case ResumeAt::AskThenSend:
        operation->sendIfNotFound = step == ResumeAt::AskThenSend;
        ask(operation);
        return;
    case ResumeAt::GiveBack: toFinish(operation, "left", {}); return;
    case ResumeAt::Book:
        operation->attempt = resumed.openAttempt;
        toFinish(operation, std::move(resumed.proof), std::move(resumed.outcome));
        return;
    }
}

} // namespace tekil::payments
