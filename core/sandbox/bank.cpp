#include "core/sandbox/bank.h"

#include "core/base/clock.h"
#include "core/base/json.h"
#include "core/base/money.h"
#include "core/http/problem.h"
#include "core/http/server.h"
#include "core/sandbox/bank_books.h"
#include "core/sandbox/bank_request.h"
#include "core/sandbox/bank_script.h"

#include <array>
#include <functional>
#include <mutex>
#include <optional>
#include <unordered_map>

namespace tekil::sandbox {

using http::ProblemType;
using http::Request;
using http::Responder;
using http::Response;
using http::RetryAdvice;

namespace {

Response lateAnswer()
{
    return http::problem(409, "send-before-passed", "The instant in Send-Before has passed",
                         "Nothing was booked, and nothing will be for this request.", RetryAdvice::SameKey);
}

} // namespace

struct Bank::Impl : std::enable_shared_from_this<Bank::Impl> {
    explicit Impl(http::Loop& owner) : loop(owner) {}

    void route(const Request& request, const Responder& responder);
    void operate(BankKind kind, const Request& request, const Responder& responder);
    void book(const BankOperation& operation, const BankRule& rule, std::int64_t sendBeforeUs,
              const Responder& responder);
    Response bookNow(const BankOperation& operation, const BankRule& rule, std::int64_t sendBeforeUs, bool& refused);
    void conclude(const BankRule& rule, bool refused, Response response, const Responder& responder);
    void later(std::int64_t ms, std::function<void()> work);
    Response inquiry(BankKind kind, const std::string& operationId);
    Result<void> follow(std::string_view json);
    Response script(const std::string& json);
    Response ledgerAnswer(const Request& request);
    Response settlementAnswer(const Request& request);
    std::string countsJson();

    http::Loop& loop;
    std::unique_ptr<http::Server> server; // its handler holds this weakly

    std::mutex mutex;
    BankScript rules;
    BankBooks books;
    std::array<std::unordered_map<std::string, std::int64_t>, kBankKinds> attempts; // by kind and operation
};

void Bank::Impl::route(const Request& request, const Responder& responder)
{
    constexpr std::string_view kOfCharge = "/charges/";
    constexpr std::string_view kOfRefund = "/refunds/";
    const bool isGet = request.method == "GET";
    const bool isPost = request.method == "POST";
    const std::string& path = request.path;
    const bool isPosted = path == "/charges" || path == "/refunds" || path == "/script";
    const bool isInquiry = path.starts_with(kOfCharge) || path.starts_with(kOfRefund);
    const bool isRead = isInquiry || path == "/ledger" || path == "/ledger/counts" || path == "/settlement";
    if (!isPosted && !isRead)
        responder.answer(
            http::problem(ProblemType::NotFound, "The bank has /charges, /refunds, /script, /ledger and /settlement."));
    else if (isPosted ? !isPost : !isGet)
        responder.answer(http::problem(ProblemType::MethodNotAllowed, "app/bank/README.md says what the bank takes."));
    else if (path == "/script")
        responder.answer(script(request.body));
    else if (isPosted)
        operate(path == "/charges" ? BankKind::Charge : BankKind::Refund, request, responder);
    else if (path.starts_with(kOfCharge))
        responder.answer(inquiry(BankKind::Charge, path.substr(kOfCharge.size())));
    else if (path.starts_with(kOfRefund))
        responder.answer(inquiry(BankKind::Refund, path.substr(kOfRefund.size())));
    else
        responder.answer(path == "/settlement" ? settlementAnswer(request) : ledgerAnswer(request));
}

void Bank::Impl::operate(BankKind kind, const Request& request, const Responder& responder)
{
    const auto read = readOperation(request, kind);
    const auto sendBeforeUs = readSendBefore(request);
    if (!read || !sendBeforeUs) {
        responder.answer(http::problemOf(read ? sendBeforeUs.error() : read.error()));
        return;
    }
    BankRule rule;
    {
        const std::lock_guard lock(mutex);
        ++(kind == BankKind::Charge ? books.counts.requests : books.counts.refundRequests);
        if (const BankRule* found = rules.decide(*read, ++attempts[indexOf(kind)][read->operationId]))
            rule = *found;
    }
    later(rule.delayBeforeBooking ? rule.delayMs : 0,
          [self = shared_from_this(), operation = *read, rule, sendBefore = *sendBeforeUs, responder] {
              self->book(operation, rule, sendBefore, responder);
          });
}

void Bank::Impl::book(const BankOperation& operation, const BankRule& rule, std::int64_t sendBeforeUs,
                      const Responder& responder)
{
    Response response;
    bool refused = false;
    if (rule.takesUp())
        response = bookNow(operation, rule, sendBeforeUs, refused);
    later(rule.delayBeforeBooking ? 0 : rule.delayMs,
          [self = shared_from_this(), rule, refused, response = std::move(response), responder] {
              self->conclude(rule, refused, response, responder);
          });
}

// The instant of booking: the key, Send-Before and the entry are looked at and written under one lock.
Response Bank::Impl::bookNow(const BankOperation& operation, const BankRule& rule, std::int64_t sendBeforeUs,
                             bool& refused)
{
    const std::lock_guard lock(mutex);
    if (rules.idempotent) {
        if (const BankEntry* known = books.ofKey(operation.idempotencyKey, rules.forgetKeysAfter)) {
            refused = !samePayload(known->operation, operation);
            if (refused)
                return http::problem(ProblemType::PayloadMismatch, "This key was used with another payload.");
            ++books.counts.replayed;
            return http::jsonResponse(200, entryJson(*known));
        }
    }
    if (wallClockUs() >= sendBeforeUs) {
        refused = true;
        ++books.counts.late;
        return lateAnswer();
    }
    BankEntry& entry = books.take(operation, rule);
    if (rule.act == BankAct::LateCapture && entry.status == BankStatus::Pending)
        later(rule.captureAfterMs, [self = shared_from_this(), &entry] {
            const std::lock_guard locked(self->mutex);
            self->books.book(entry);
        });
    return http::jsonResponse(201, entryJson(entry));
}

void Bank::Impl::conclude(const BankRule& rule, bool refused, Response response, const Responder& responder)
{
    if (rule.act == BankAct::Drop || rule.act == BankAct::Close || rule.unanswered) {
        const std::lock_guard lock(mutex);
        ++books.counts.unanswered;
        responder.cut(rule.reset ? Responder::Cut::Reset : Responder::Cut::Fin);
        return;
    }
    if (rule.act == BankAct::Error)
        response = http::problem(rule.status, "scripted-error", "The script says so", "A scripted error.",
                                 RetryAdvice::SameKey);
    else if (rule.act == BankAct::Malformed && !refused)
        response.body.resize(response.body.size() / 2);
    responder.answer(std::move(response));
}

void Bank::Impl::later(std::int64_t ms, std::function<void()> work)
{
    if (ms > 0)
        loop.after(std::chrono::milliseconds(ms), std::move(work));
    else
        work();
}

Response Bank::Impl::inquiry(BankKind kind, const std::string& operationId)
{
    const std::lock_guard lock(mutex);
    if (!rules.inquiry)
        return http::problem(501, "no-inquiry", "This provider cannot be asked", "The script sets inquiry to false.",
                             RetryAdvice::Never);
    if (const BankEntry* found = books.ofOperation(kind, operationId))
        return http::jsonResponse(200, entryJson(*found));
    return http::jsonResponse(404,
                              JsonWriter().member("operationId", operationId).member("status", "not_found").take());
}

Result<void> Bank::Impl::follow(std::string_view json)
{
    auto read = BankScript::fromJson(json);
    if (!read)
        return read.error();
    const std::lock_guard lock(mutex);
    rules = std::move(*read);
    if (rules.forgetKeys)
        books.forgetKeys();
    return {};
}

Response Bank::Impl::script(const std::string& json)
{
    if (const auto followed = follow(json); !followed)
        return http::problemOf(followed.error());
    const std::lock_guard lock(mutex);
    return http::jsonResponse(200, JsonWriter().number("rules", rules.rules.size()).take());
}

std::string Bank::Impl::countsJson()
{
    const BankCounts& counts = books.counts;
    return JsonWriter()
        .number("requests", counts.requests)
        .number("booked", counts.booked)
        .number("operations", counts.operations)
        .number("duplicates", counts.duplicates)
        .number("refundRequests", counts.refundRequests)
        .number("refunds", counts.refunds)
        .number("declined", counts.declined)
        .number("pending", counts.pending)
        .number("replayed", counts.replayed)
        .number("late", counts.late)
        .number("unanswered", counts.unanswered)
        .take();
}

Response Bank::Impl::ledgerAnswer(const Request& request)
{
    const std::lock_guard lock(mutex);
    if (request.path == "/ledger/counts")
        return http::jsonResponse(200, countsJson());
    const auto wanted = request.queryValues("operationId");
    std::string charges;
    std::string refunds;
    for (const BankEntry& entry : books.entries()) {
        const BankOperation& operation = entry.operation;
        if (entry.status != BankStatus::Booked || (!wanted.empty() && wanted[0] != operation.operationId))
            continue;
        const bool isRefund = operation.kind == BankKind::Refund;
        std::string& list = isRefund ? refunds : charges;
        list += list.empty() ? "" : ",";
        JsonWriter json;
        json.member("providerReference", entry.reference)
            .member("operationId", operation.operationId)
            .member("idempotencyKey", operation.idempotencyKey)
            .member("merchantReference", entry.merchantReference)
            .member("amount", decimalFromMinor(operation.amountMinor, operation.currency.exponent()))
            .member("currency", operation.currency.code())
            .member("bookedAt", rfc3339(entry.bookedAtUs));
        if (isRefund)
            json.member("originalOperationId", operation.originalOperationId);
        list += json.take();
    }
    return http::jsonResponse(200, JsonWriter()
                                       .raw("counts", countsJson())
                                       .raw("charges", "[" + charges + "]")
                                       .raw("refunds", "[" + refunds + "]")
                                       .take());
}

Response Bank::Impl::settlementAnswer(const Request& request)
{
    const auto dates = request.queryValues("date");
    const auto day = dates.size() == 1 ? parseDay(dates[0]) : std::nullopt;
    if (!day || request.query.size() != 1)
        return http::problem(ProblemType::RequestInvalid, "ask for one day in UTC: ?date=YYYY-MM-DD");
    const std::lock_guard lock(mutex);
    auto csv = books.settlementCsv(*day);
    if (!csv)
        return http::problemOf(csv.error());
    return {200,
            {{"Content-Type", "text/csv; charset=utf-8; header=present"},
             {"Content-Disposition", "attachment; filename=\"settlement-" + day->text + ".csv\""}},
            *std::move(csv)};
}

// ---- Bank

Bank::Bank(std::shared_ptr<Impl> impl) : m_impl(std::move(impl)) {}

Result<std::unique_ptr<Bank>> Bank::start(http::Loop& loop, BankOptions options)
{
    auto impl = std::make_shared<Impl>(loop);
    if (const auto followed = impl->follow(options.script); !followed)
        return followed.error();
    http::ServerOptions serving;
    serving.listen = options.listen;
    serving.limits.connections = 20'000;
    serving.handler = [weak = std::weak_ptr<Impl>(impl)](Request request, const Responder& responder) {
        if (const auto self = weak.lock())
            self->route(request, responder);
    };
    auto server = http::Server::start(loop, std::move(serving));
    if (!server)
        return server.error();
    impl->server = std::move(*server);
    return std::unique_ptr<Bank>(new Bank(std::move(impl)));
}

Bank::~Bank()
{
    m_impl->server.reset(); // here, not on a loop thread that lets the last delayed charge go
}

std::string Bank::url() const
{
    return m_impl->server->url();
}

Result<void> Bank::setScript(std::string_view json)
{
    return m_impl->follow(json);
}

std::vector<BankBooking> Bank::ledger() const
{
    std::vector<BankBooking> out;
    const std::lock_guard lock(m_impl->mutex);
    for (const BankEntry& entry : m_impl->books.entries())
        if (entry.status == BankStatus::Booked && entry.operation.kind == BankKind::Charge)
            out.push_back(BankBooking{
                entry.reference, entry.operation.idempotencyKey, entry.operation.operationId, entry.merchantReference,
                decimalFromMinor(entry.operation.amountMinor, entry.operation.currency.exponent()),
                std::string(entry.operation.currency.code()), entry.bookedAtUs});
    return out;
}

BankCounts Bank::counts() const
{
    const std::lock_guard lock(m_impl->mutex);
    return m_impl->books.counts;
}

bool Bank::drain(std::chrono::milliseconds within)
{
    return m_impl->server->drain(within);
}

} // namespace tekil::sandbox
