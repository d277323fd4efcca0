// The last step: what an answer proves is booked, and the client is told.
#include "core/payments/pipeline.h"

#include "core/base/fault.h"
#include "core/payments/batch.h"
#include "sql_queries.h"

#include <spdlog/spdlog.h>

namespace tekil::payments {

namespace {

constexpr std::chrono::seconds kFinishPause{1};

} // namespace

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
    std::vector<bool> asked, sentLate;
    std::vector<std::optional<std::int64_t>> sentAfter;
    for (const OperationPtr& operation : batch) {
        asked.push_back(operation->asked);
        attempts.push_back(operation->attempt > 0 ? std::optional<std::int64_t>(operation->attempt) : std::nullopt);
        proofs.push_back(operation->proof);
        references.push_back(operation->outcome.reference);
        codes.push_back(operation->outcome.code);
        statuses.push_back(operation->outcome.httpStatus);
        answers.push_back(operation->outcome.answer);
        const auto sentAt = operation->outcome.sentAt;
        const bool sent = sentAt.count() > 0 && operation->attempt > 0;
        sentLate.push_back(sent && sentAt >= operation->sendBefore);
        sentAfter.push_back(sent ? std::optional((sentAt - operation->attemptBegan) / std::chrono::microseconds(1))
                                 : std::nullopt);
    }
    db::Params params;
    params.add(idsOf(batch)).add(epochsOf(batch)).add(attempts).add(proofs).add(references).add(codes).add(statuses);
    params.add(answers).add(m_options.instance).add(asked).add(sentAfter).add(sentLate);
    if (fault::at(fault::FinishBefore))
        return fault::away();
    const auto rows = connection.run(sql::payments::finish, params);
    if (!rows)
        return rows.error();
    if (fault::at(fault::FinishAfter))
        return fault::inDoubt();
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
    if (lost && rows.isNull(row, 2) && !operation->afterEnd)
        m_watch.recordIsGone(operation->id);
    if (!rows.isNull(row, 4)) {
        if (!lost)
            ++m_ended;
        operation->answer({.kind = Answer::Kind::Ended,
                           .status = static_cast<int>(rows.int64(row, 3)),
                           .body = std::string(rows.text(row, 4)),
                           .operationId = operation->id});
    } else if (!lost && rows.text(row, 2) == "Processing") {
        sendAgainLater(operation);
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
        if (error.code == ErrorCode::SerializationFailed && m_finishes.connected()) {
            // Somebody else is in the way for long. The answer is kept, and the lease with it, until it can be booked.
            answerPending(operation);
            m_loop.after(kFinishPause,
                         [this, operation] { toFinish(operation, operation->proof, operation->outcome); });
            continue;
        }
        answerPending(operation);
        leave(operation);
    }
}

} // namespace tekil::payments
