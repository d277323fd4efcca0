#include "core/payments/pipeline.h"

#include "core/base/clock.h"
#include "core/base/fault.h"
#include "core/payments/batch.h"
#include "sql_queries.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <thread>

namespace tekil::payments {

namespace {

using namespace std::chrono_literals;

constexpr auto kClaimPatience = 2s; // before the claim nothing has happened: the client is told to come again
constexpr auto kTick = 1s;
constexpr auto kDueTick = 20ms; // one sweep for all waits: a timer each would outlive its request
constexpr int kProviderTicks = 5; // providers' rows are read again every fifth tick

void failChores(std::vector<Chore>& chores, const Error& error)
{
    for (Chore& chore : chores)
        chore.failed(error);
}

} // namespace

Result<void> Pipeline::runChores(db::Connection& connection, std::vector<Chore>& chores)
{
    // One at a time, and only what concerns all of them ends the batch: a chore that fails takes no other with it.
    while (!chores.empty()) {
        if (const auto done = chores.front().run(connection); !done) {
            const ErrorCode code = done.error().code;
            if (code == ErrorCode::DatabaseUnavailable || code == ErrorCode::CommitInDoubt
                || code == ErrorCode::SerializationFailed)
                return done;
            chores.front().failed(done.error());
        }
        chores.erase(chores.begin());
    }
    return {};
}

LaneOptions Pipeline::lane(std::string name, std::chrono::milliseconds patience) const
{
    return LaneOptions{
        .name = std::move(name), .dsn = m_options.dsn, .niceness = m_options.niceness, .patience = patience};
}

LaneOptions Pipeline::finishLane() const
{
    LaneOptions options = lane("finish", 0ms);
    options.runsRestOnStop = true; // a provider's answer is not thrown away
    return options;
}

Pipeline::Pipeline(http::Loop& loop, PipelineOptions options)
    : m_loop(loop), m_options(std::move(options)), m_chores(lane("chores", kClaimPatience), runChores, failChores),
      m_doors(lane("doors", kClaimPatience), runChores, failChores),
      m_views(
          lane("views", kClaimPatience),
          [this](db::Connection& connection, std::vector<PaymentQuery>& queries) { return view(connection, queries); },
          [](std::vector<PaymentQuery>& queries, const Error& error) {
              for (PaymentQuery& query : queries)
                  query.onView(error);
          }),
      m_finishes(
          finishLane(), [this](db::Connection& connection, Batch& batch) { return finish(connection, batch); },
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
    tick();
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
    m_doors.stop();
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
        operation->due = true;
        if (operation->accepted)
            answerPending(operation);
        else // it stands still before the money was reserved: the database is away or far behind
            operation->answer(refused(databaseUp() ? ErrorCode::Overloaded : ErrorCode::DatabaseUnavailable,
                                      "the request is not yet accepted; send it again"));
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
        --m_recovered[operation->providerId];
}

Result<void> Pipeline::flushEvents(db::Connection& connection)
{
    return m_events.flush(connection, m_options.instance);
}

std::map<std::int64_t, std::int64_t> Pipeline::recovered() const
{
    const std::lock_guard lock(m_mutex);
    return m_recovered;
}

std::vector<Uuid> Pipeline::withOldLease() const
{
    std::vector<Uuid> ids;
    const auto now = bootTime();
    const std::lock_guard lock(m_mutex);
    for (const auto& [id, operation] : m_inFlight)
        if (now - std::max(operation->started, operation->renewed) > m_options.lease * 2 / 3)
            ids.push_back(id);
    return ids;
}

void Pipeline::tick()
{
    renewLeases();
    const auto failed = [](const Error& error) { spdlog::warn("upkeep failed: {}", error.detail); };
    bool taken = m_chores.push(Chore{[this](db::Connection& connection) { return flushEvents(connection); }, failed});
    if (++m_ticks % kProviderTicks == 0)
        taken = m_chores.push(
                    Chore{[this](db::Connection& connection) { return refreshProviders(connection); }, failed})
                && taken;
    if (!taken)
        spdlog::warn("upkeep waits: too much to do");
    m_loop.after(kTick, [this] { tick(); });
}

void Pipeline::renewLeases()
{
    Batch held;
    const auto now = bootTime();
    {
        const std::lock_guard lock(m_mutex);
        for (const auto& [id, operation] : m_inFlight)
            if (operation->accepted && now - std::max(operation->started, operation->renewed) > m_options.lease / 3)
                held.push_back(operation);
    }
    if (held.empty())
        return;
    const auto run = [this, held, now](db::Connection& connection) -> Result<void> {
        db::Params params;
        params.add(idsOf(held)).add(epochsOf(held)).add(milliseconds(m_options.lease));
        if (fault::at(fault::RenewBefore))
            return fault::away();
        const auto renewed = connection.run(sql::payments::renewLeases, params);
        if (!renewed)
            return renewed.error();
        if (fault::at(fault::RenewAfter))
            return fault::inDoubt();
        ByOperation waiting(held);
        const std::lock_guard lock(m_mutex);
        for (int row = 0; row < renewed->count(); ++row)
            if (const OperationPtr operation = waiting.take(renewed->uuid(row, 0)))
                operation->renewed = now;
        for (const OperationPtr& operation : waiting.rest())
            operation->lost = true;
        return {};
    };
    const auto failed = [](const Error& error) { spdlog::warn("leases could not be renewed: {}", error.detail); };
    if (!m_chores.push(Chore{run, failed}))
        spdlog::warn("leases could not be renewed: too much waits");
}

} // namespace tekil::payments
