// After the database has lost commits: what this engine remembers is claimed, accepted and marked as sent again, under
// the same operation ids and by the same statements, so that the provider is asked for it and no retry charges it anew.
#include "core/payments/pipeline.h"

#include "core/payments/batch.h"
#include "sql_queries.h"

#include <spdlog/spdlog.h>

#include <algorithm>

namespace tekil::payments {

namespace {

constexpr std::size_t kBatch = 512;

} // namespace

Result<std::vector<Uuid>> Pipeline::restoreLost(db::Connection& connection)
{
    // What was declined before anything was sent has no effect that could be lost.
    Batch all;
    for (const OperationPtr& operation : m_watch.remembered())
        if (operation->accepted)
            all.push_back(operation);
    for (std::size_t from = 0; from < all.size(); from += kBatch) {
        const auto begin = all.begin() + static_cast<std::ptrdiff_t>(from);
        Batch batch(begin, begin + static_cast<std::ptrdiff_t>(std::min(kBatch, all.size() - from)));
        if (const auto done = writeAgain(connection, batch); !done)
            return done.error();
    }
    return idsOf(all);
}

// Each statement changes nothing where its rows are still there.
Result<void> Pipeline::writeAgain(db::Connection& connection, Batch& batch)
{
    const auto claimed = connection.run(sql::payments::claim, claimParams(batch, m_options, {}));
    if (!claimed)
        return claimed.error();
    const std::vector<std::int64_t> first(batch.size(), 1);
    const auto accepted = connection.run(sql::payments::accept,
                                         db::Params().add(idsOf(batch)).add(first).add(m_options.instance));
    if (!accepted)
        return accepted.error();
    std::vector<std::optional<std::string>> bodies;
    std::vector<bool> inHand;
    std::unordered_map<Uuid, OperationPtr> byId;
    {
        const std::lock_guard lock(m_mutex);
        for (const OperationPtr& operation : batch) {
            bodies.push_back(operation->wasSent ? std::optional(operation->chargeBody) : std::nullopt);
            inHand.push_back(m_inFlight.contains(operation->id));
            byId.emplace(operation->id, operation);
        }
    }
    db::Params params;
    params.add(idsOf(batch)).add(bodies).add(inHand).add(m_options.instance).add(milliseconds(m_options.lease));
    const auto rows = connection.run(sql::recovery::restoreSent, params);
    if (!rows)
        return rows.error();
    if (claimed->count() > 0)
        spdlog::critical("{} payments whose records were lost have been written again", claimed->count());
    for (int row = 0; row < rows->count(); ++row)
        goOnAfterLoss(*byId.at(rows->uuid(row, 0)), rows->int64(row, 1), static_cast<int>(rows->int64(row, 2)));
    return {};
}

void Pipeline::goOnAfterLoss(const Operation& operation, std::int64_t epoch, int attempt)
{
    Resumed resumed{.operationId = operation.id,
                    .epoch = epoch,
                    .merchantId = operation.submission().merchantId,
                    .key = operation.submission().key,
                    .providerId = operation.providerId,
                    .invoiceId = operation.request().invoiceId,
                    .invoiceIsNumber = operation.request().invoiceIsNumber,
                    .amount = operation.request().amount,
                    .chargeBody = operation.chargeBody,
                    .openAttempt = attempt,
                    .proof = operation.proof,
                    .outcome = operation.outcome};
    const bool isProven = resumed.proof == "captured" || resumed.proof == "declined" || resumed.proof == "refused";
    resume(std::move(resumed), isProven ? ResumeAt::Book : attempt > 0 ? ResumeAt::CloseAttempt : ResumeAt::Send);
}

} // namespace tekil::payments
