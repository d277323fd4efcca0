#include "core/payments/pipeline.h"

#include "core/base/clock.h"
#include "core/base/fault.h"
#include "core/payments/batch.h"
#include "sql_queries.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <thread>
#include <utility>

namespace tekil::payments {

namespace {

using namespace std::chrono_literals;

constexpr auto kClaimPatience = 2s; // before the claim nothing has happened: the client is told to come again
constexpr auto kTick = 1s;
constexpr auto kDueTick = 20ms; // one sweep for all waits: a timer each would outlive its request
constexpr std::size_t kReplays = 128;
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

LaneOptions Pipeline::lane(std::string name, std::chrono::milliseconds patience)
{
    return LaneOptions{.name = std::move(name),
                       .dsn = m_options.dsn,
                       .niceness = m_options.niceness,
                       .patience = patience,
                       .settle = [this](db::Connection& connection) { return m_watch.settle(connection); }};
}

LaneOptions Pipeline::finishLane()
{
    LaneOptions options = lane("finish", 0ms);
    options.runsRestOnStop = true; // a provider's answer is not thrown away
    return options;
}

// Few at a time: what cannot be looked up at once is refused at once.
LaneOptions Pipeline::replayLane()
{
    LaneOptions options = lane("replays", kClaimPatience);
    options.maxBatch = kReplays;
    options.capacity = kReplays;
    return options;
}

Pipeline::Pipeline(http::Loop& loop, PipelineOptions options)
    : m_loop(loop), m_options(std::move(options)), m_watch(m_options.instance), m_admission(m_options.admission),
      m_chores(lane("chores", kClaimPatience), runChores, failChores),
      m_doors(lane("doors", kClaimPatience), runChores, failChores),
      m_views(
          lane("views", kClaimPatience),
          [this](db::Connection& connection, std::vector<PaymentQuery>& queries) { return view(connection, queries); },
          [](std::vector<PaymentQuery>& queries, const Error& error) {
              for (PaymentQuery& query : queries)
                  query.onView(error);
          }),
      m_replays(
          replayLane(), [this](db::Connection& connection, Batch& batch) { return replay(connection, batch); },
          [](Batch& batch, const Error& error) {
              for (const OperationPtr& operation : batch)
                  operation->answer({.kind = Answer::Kind::Refused, .error = error});
          }),
      m_finishes(
          finishLane(), [this](db::Connection& connection, Batch& batch) { return finish(connection, batch); },
          [this](Batch& batch, const Error& error) { refuseFinishes(batch, error); }),
      m_attempts(
          lane("attempt", 0ms),
          [this](db::Connection& connection, Batch& batch) { return openAttempts(connection, batch); },
          [this](Batch& batch, const Error& error) { refuseAttempts(batch, error); }),
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
    m_replays.stop();
    m_views.stop();
    m_doors.stop();
    m_chores.stop();
}

std::size_t Pipeline::inFlight() const
{
    const std::lock_guard lock(m_mutex);
    return m_inFlight.size();
}

std::chrono::nanoseconds Pipeline::delay() const
{
    const auto now = bootTime();
    return m_claims.delay(now) + m_accepts.delay(now) + m_attempts.delay(now) + m_finishes.delay(now);
}

bool Pipeline::drain(std::chrono::milliseconds within)
{
    const auto end = std::chrono::steady_clock::now() + within;
    m_draining = true;
    while (inFlight() > 0 && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(10ms);
    Batch left;
    {
        const std::lock_guard lock(m_mutex);
        left.swap(m_unsent);
        for (const auto& [id, operation] : m_inFlight)
            left.push_back(operation);
    }
    if (!left.empty())
        releaseLeft(std::move(left));
    return inFlight() == 0;
}

// The lane that opens attempts has ended before, so what has none now has none.
void Pipeline::releaseLeft(Batch left)
{
    m_attempts.stop();
    const auto release = [this, left = std::move(left)](db::Connection& connection) -> Result<void> {
        const auto done = connection.run(sql::payments::releaseLeases,
                                         db::Params().add(idsOf(left)).add(epochsOf(left)).add(m_options.instance));
        return done ? Result<void>() : done.error();
    };
    const auto failed = [](const Error& error) { spdlog::warn("leases end by themselves: {}", error.detail); };
    if (!m_chores.push(Chore{release, failed}))
        failed(Error{ErrorCode::Overloaded, "too much waits"});
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
                                       .operationId = operation->id,
                                       .retryAfterSeconds = (*view)->retryAfterSeconds});
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
            rows->uuid(row, 1), std::string(rows->text(row, 2)), std::string(rows->text(row, 3)),
            retryAfter(rows->int64(row, 4),
                       {.isUnknown = rows->text(row, 3) == "Unknown",
                        .isHeld = rows->boolean(row, 7),
                        .age = std::chrono::milliseconds(rows->int64(row, 6)),
                        .leaseLeft = std::chrono::milliseconds(rows->optionalInt64(row, 5).value_or(0))})};
    for (std::size_t i = 0; i < queries.size(); ++i)
        queries[i].onView(std::move(found[i]));
    return {};
}

void Pipeline::leave(const OperationPtr& operation)
{
    const std::lock_guard lock(m_mutex);
    if (m_inFlight.erase(operation->id) > 0 && operation->recovered)
        m_recovered[operation->providerId].leaves();
    if (std::exchange(operation->counted, false))
        --m_ofProvider[operation->providerId];
}

Result<void> Pipeline::flushEvents(db::Connection& connection)
{
    return m_events.flush(connection, m_options.instance);
}

std::uint64_t Pipeline::conflicts() const
{
    return m_claims.conflicts() + m_accepts.conflicts() + m_attempts.conflicts() + m_finishes.conflicts()
           + m_views.conflicts() + m_doors.conflicts() + m_chores.conflicts();
}

void Pipeline::enter(const OperationPtr& operation, std::int64_t providerId)
{
    const std::lock_guard lock(m_mutex);
    operation->providerId = providerId;
    if (!std::exchange(operation->counted, true))
        ++m_ofProvider[providerId];
}

std::vector<std::int64_t> Pipeline::closedProviders() const
{
    std::vector<std::int64_t> closed;
    const std::lock_guard lock(m_mutex);
    for (const auto& [id, known] : m_providers)
        if (!known.gate->mayAccept())
            closed.push_back(id);
    for (const auto& [id, count] : m_ofProvider)
        if (count >= m_options.maxOfOneProvider && std::find(closed.begin(), closed.end(), id) == closed.end())
            closed.push_back(id);
    return closed;
}

// Whether what nobody waits for had better wait in the database.
bool Pipeline::isCrowded(std::int64_t providerId) const
{
    const std::lock_guard lock(m_mutex);
    const auto count = m_ofProvider.find(providerId);
    return m_inFlight.size() > m_options.admission.maxInFlight / 2
           || (count != m_ofProvider.end() && count->second > m_options.maxOfOneProvider / 2);
}

std::optional<Answer> Pipeline::notTakenOn(std::int64_t providerId) const
{
    const auto closed = closedProviders();
    if (std::find(closed.begin(), closed.end(), providerId) == closed.end())
        return std::nullopt;
    const Known known = provider(providerId);
    Answer answer = refused(ErrorCode::Overloaded,
                            "too many payments of this provider are in flight; send again later");
    if (known && !known.gate->mayAccept())
        answer.error = {ErrorCode::ProviderUnavailable, "the payment provider does not answer at present; send again"};
    answer.retryAfterSeconds = retryAfter(providerId, {});
    return answer;
}

int Pipeline::retryAfter(std::int64_t providerId, Waiting waiting) const
{
    const Known known = provider(providerId);
    waiting.usual = known ? known.gate->usual() : 500ms;
    waiting.timeout = known ? known.provider->row().timeout : providers::ProviderRow().timeout;
    if (known)
        waiting.breaker = std::chrono::ceil<std::chrono::milliseconds>(known.gate->opensIn());
    return retryAfterSeconds(waiting);
}

std::vector<ProviderCondition> Pipeline::providerConditions() const
{
    std::vector<ProviderCondition> conditions;
    const std::lock_guard lock(m_mutex);
    for (const auto& [id, known] : m_providers) {
        const auto count = m_ofProvider.find(id);
        conditions.push_back({.id = id,
                              .name = known.provider->row().name,
                              .breaker = known.gate->state(),
                              .inFlight = count == m_ofProvider.end() ? 0 : count->second,
                              .usual = known.gate->usual()});
    }
    return conditions;
}

std::map<std::int64_t, Pipeline::Recovered> Pipeline::recovered() const
{
    const std::lock_guard lock(m_mutex);
    auto all = m_recovered;
    for (const auto& [id, known] : m_providers)
        all[id].shut = known.gate->state() == providers::BreakerState::Open;
    return all;
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
