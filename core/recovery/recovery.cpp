#include "core/recovery/recovery.h"

#include "core/base/clock.h"
#include "core/base/fault.h"
#include "core/recovery/recovery_rules.h"
#include "sql_queries.h"

#include <spdlog/spdlog.h>

namespace tekil::recovery {

namespace {

using namespace std::chrono_literals;

constexpr auto kLook = 500ms;
// Of one provider at a time, no more than can be ended within one lease: what waits stays free for other engines.
constexpr std::int64_t kMaxTaken = 100;

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
    WindowOver
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
    const bool taken = m_pipeline.push(
        payments::Chore{[this](db::Connection& connection) { return takeOver(connection); },
                        [](const Error& error) { spdlog::warn("no takeover: {}", error.detail); }});
    if (!taken)
        spdlog::warn("recovery waits: too much to do");
    m_loop.after(kLook, [this] { look(); });
}

Result<void> Recovery::takeOver(db::Connection& connection)
{
    if (m_stopped)
        return {};
    std::vector<std::int64_t> providers, held;
    for (const auto& [provider, count] : m_pipeline.recovered()) {
        providers.push_back(provider);
        held.push_back(count);
    }
    db::Params params;
    params.add(m_instance).add(std::to_string(m_lease.count()) + " ms").add(kMaxTaken);
    params.add(m_pipeline.withOldLease()).add(providers).add(held);
    if (fault::at(fault::TakeoverBefore))
        return fault::away();
    const auto rows = connection.run(sql::recovery::takeOver, params);
    if (!rows)
        return rows.error();
    if (fault::at(fault::TakeoverAfter))
        return fault::inDoubt();
    for (int row = 0; row < rows->count(); ++row)
        goOn(*rows, row);
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
                              .openAttempt = static_cast<int>(rows.optionalInt64(row, OpenAttempt).value_or(0))};
    Situation situation{.state = *state,
                        .isAccepted = rows.boolean(row, Accepted),
                        .hasOpenAttempt = resumed.openAttempt > 0,
                        .sent = rows.int64(row, Sent),
                        .canIdempotent = rows.boolean(row, Idempotent),
                        .canInquiry = rows.boolean(row, Inquiry),
                        .keyWindowOver = rows.boolean(row, WindowOver)};
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
