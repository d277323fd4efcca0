#include "core/recovery/recovery.h"

#include "core/base/clock.h"
#include "core/base/fault.h"
#include "core/recovery/recovery_rules.h"
#include "sql_queries.h"

#include <spdlog/spdlog.h>

#include <algorithm>

namespace tekil::recovery {

namespace {

using namespace std::chrono_literals;

constexpr auto kLook = 500ms;
constexpr auto kLookSoon = 20ms;
constexpr auto kMeasure = 250ms; // shorter, what ends in it says little
constexpr std::int64_t kShutRoom = 2;    // of a provider that is not called: enough to end what has waited too long
constexpr std::int64_t kMostHeld = 8'000; // of all providers together: the other half of the room is for new payments
constexpr std::int64_t kMaxFailed = 100; // asked at a time

// Columns of recovery.take_over.
enum Column {
    Id,
    Epoch,
    Status,
    Merchant,
    Key,
    Provider,
    Invoice,
    InvoiceIsNumber,
    Amount,
    CurrencyCode,
    Accepted,
    Idempotent,
    Inquiry,
    OpenAttempt,
    RequestBody,
    Sent,
    WindowOver,
    GraceOver
};

} // namespace

Recovery::Recovery(http::Loop& loop, payments::Pipeline& pipeline, Uuid instance, std::chrono::milliseconds lease)
    : m_loop(loop), m_pipeline(pipeline), m_instance(instance), m_lease(lease)
{
}

void Recovery::start()
{
    look();
}

void Recovery::look()
{
    if (m_stopped)
        return;
    const auto failed = [this](const Error& error) {
        spdlog::warn("no takeover: {}", error.detail);
        lookAgain(kLook);
    };
    if (!m_pipeline.push(payments::Chore{[this](db::Connection& connection) { return takeOver(connection); }, failed}))
        failed(Error{ErrorCode::Overloaded, "too much waits"});
}

void Recovery::lookAgain(std::chrono::milliseconds pause)
{
    m_loop.after(pause, [this] { look(); });
}

Result<void> Recovery::takeOver(db::Connection& connection)
{
    if (m_stopped)
        return {};
    std::vector<std::int64_t> providers, rooms;
    std::map<std::int64_t, std::int64_t> roomOf;
    bool more = false;
    std::int64_t budget = kMostHeld;
    const auto all = m_pipeline.recovered();
    for (const auto& [provider, recovered] : all)
        budget -= recovered.held;
    const auto now = bootTime();
    const bool measures = now - m_lookedAt >= kMeasure;
    for (const auto& [provider, recovered] : all) {
        Seen& seen = m_seen[provider];
        if (measures) {
            seen.size.looked(recovered.left - seen.left, recovered.held, now - m_lookedAt, m_lease);
            seen.left = recovered.left;
        }
        const std::int64_t room = std::min(seen.size.room(recovered.held), std::max<std::int64_t>(budget, 0));
        budget -= room;
        // With no place free it looks again soon only while places come free.
        more = more || (room == 0 && recovered.left != seen.leftLast);
        seen.leftLast = recovered.left;
        providers.push_back(provider);
        rooms.push_back(recovered.shut ? std::min(room, kShutRoom) : room);
        roomOf[provider] = rooms.back();
    }
    if (measures)
        m_lookedAt = now;
    db::Params params;
    params.add(m_instance).add(std::to_string(m_lease.count()) + " ms").add(TakeoverSize::kSmallest);
    params.add(m_pipeline.withOldLease()).add(providers).add(rooms);
    if (fault::at(fault::TakeoverBefore))
        return fault::away();
    const auto rows = connection.run(sql::recovery::takeOver, params);
    if (!rows)
        return rows.error();
    if (fault::at(fault::TakeoverAfter))
        return fault::inDoubt();
    std::map<std::int64_t, std::int64_t> taken;
    for (int row = 0; row < rows->count(); ++row) {
        ++taken[rows->int64(row, Provider)];
        goOn(*rows, row);
    }
    for (const auto& [provider, count] : taken) {
        const auto room = roomOf.find(provider);
        more = more || count >= std::max(room == roomOf.end() ? TakeoverSize::kSmallest : room->second, kShutRoom + 1);
    }
    const auto asked = askFailed(connection);
    lookAgain(more ? kLookSoon : kLook);
    if (!asked)
        spdlog::warn("failed payments were not asked for: {}", asked.error().detail);
    return {};
}

Result<void> Recovery::askFailed(db::Connection& connection)
{
    std::vector<std::int64_t> shut;
    for (const auto& [provider, recovered] : m_pipeline.recovered())
        if (recovered.shut)
            shut.push_back(provider);
    const auto rows = connection.run(sql::recovery::takeFailed, db::Params().add(kMaxFailed).add(shut));
    if (!rows)
        return rows.error();
    for (int row = 0; row < rows->count(); ++row) {
        const auto currency = Currency::fromCode(rows->text(row, 5));
        TEKIL_CHECK(currency.ok());
        m_pipeline.resume({.operationId = rows->uuid(row, 0),
                           .epoch = 0, // nobody's: it changes nothing of the payment
                           .merchantId = rows->int64(row, 1),
                           .key = std::string(rows->text(row, 2)),
                           .providerId = rows->int64(row, 3),
                           .invoiceId = {},
                           .amount = Money(rows->int64(row, 4), *currency),
                           .chargeBody = {}},
                          payments::ResumeAt::AskEnded);
    }
    return {};
}

void Recovery::goOn(const db::Rows& rows, int row)
{
    const auto state = paymentStateFromName(rows.text(row, Status));
    const auto currency = Currency::fromCode(rows.text(row, CurrencyCode));
    TEKIL_CHECK(state.has_value() && currency.ok());
    payments::Resumed resumed{.operationId = rows.uuid(row, Id),
                              .epoch = rows.int64(row, Epoch),
                              .merchantId = rows.int64(row, Merchant),
                              .key = std::string(rows.text(row, Key)),
                              .providerId = rows.int64(row, Provider),
                              .invoiceId = std::string(rows.text(row, Invoice)),
                              .invoiceIsNumber = rows.boolean(row, InvoiceIsNumber),
                              .amount = Money(rows.int64(row, Amount), *currency),
                              .chargeBody = std::string(rows.optionalText(row, RequestBody).value_or("")),
                              .openAttempt = static_cast<int>(rows.optionalInt64(row, OpenAttempt).value_or(0)),
                              .graceOver = rows.boolean(row, GraceOver)};
    Situation situation{.state = *state,
                        .isAccepted = rows.boolean(row, Accepted),
                        .hasOpenAttempt = resumed.openAttempt > 0,
                        .sent = rows.int64(row, Sent),
                        .canIdempotent = rows.boolean(row, Idempotent),
                        .canInquiry = rows.boolean(row, Inquiry),
                        .mayNotBeSent = rows.boolean(row, WindowOver)};
    const NextStep step = nextStep(situation);
    situation.wasAsked = true;
    const bool sendIfNotFound = nextStep(situation) == NextStep::SendAgain;
    switch (step) {
    case NextStep::Accept: m_pipeline.resume(std::move(resumed), payments::ResumeAt::Accept); return;
    case NextStep::Send:
    case NextStep::SendAgain: m_pipeline.resume(std::move(resumed), payments::ResumeAt::Send); return;
    case NextStep::CloseAttempt: m_pipeline.resume(std::move(resumed), payments::ResumeAt::CloseAttempt); return;
    case NextStep::Ask:
        m_pipeline.resume(std::move(resumed),
                          sendIfNotFound ? payments::ResumeAt::AskThenSend : payments::ResumeAt::Ask);
        return;
    case NextStep::Leave: m_pipeline.resume(std::move(resumed), payments::ResumeAt::GiveBack); return;
    }
}

} // namespace tekil::recovery
