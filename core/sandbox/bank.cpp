#include "core/sandbox/bank.h"

#include "core/base/clock.h"
#include "core/base/json.h"
#include "core/base/money.h"
#include "core/http/problem.h"
#include "core/http/server.h"
#include "core/sandbox/bank_script.h"

#include <charconv>
#include <cstdio>
#include <ctime>
#include <deque>
#include <functional>
#include <limits>
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

enum class Status : std::uint8_t { Captured, Declined, Pending };

std::string_view nameOf(Status status)
{
    switch (status) {
    case Status::Captured: return "captured";
    case Status::Declined: return "declined";
    case Status::Pending: return "pending";
    }
    return "";
}

struct Entry {
    BankCharge charge;
    std::string reference;
    Status status = Status::Captured;
    std::string declineCode;
    std::int64_t atUs = 0;
};

// "2026-03-05T14:07:09.118000Z" as microseconds since 1970; up to nine decimals, UTC only.
std::optional<std::int64_t> parseInstant(std::string_view text)
{
    constexpr std::string_view kShape = "dddd-dd-ddTdd:dd:dd";
    if (text.size() < kShape.size() + 1 || text.back() != 'Z')
        return std::nullopt;
    for (std::size_t i = 0; i < kShape.size(); ++i)
        if (kShape[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != kShape[i])
            return std::nullopt;
    const auto field = [text](std::size_t at, std::size_t size) {
        int value = 0;
        std::from_chars(text.data() + at, text.data() + at + size, value);
        return value;
    };
    std::tm parts{};
    parts.tm_year = field(0, 4) - 1900;
    parts.tm_mon = field(5, 2) - 1;
    parts.tm_mday = field(8, 2);
    parts.tm_hour = field(11, 2);
    parts.tm_min = field(14, 2);
    parts.tm_sec = field(17, 2);
    if (parts.tm_mon < 0 || parts.tm_mon > 11 || parts.tm_mday < 1 || parts.tm_mday > 31 || parts.tm_hour > 23
        || parts.tm_min > 59 || parts.tm_sec > 60)
        return std::nullopt;
    std::int64_t micros = 0;
    if (std::string_view rest = text.substr(kShape.size(), text.size() - kShape.size() - 1); !rest.empty()) {
        constexpr std::size_t kMostDecimals = 9;
        if (rest.front() != '.' || rest.size() < 2 || rest.size() > kMostDecimals + 1
            || rest.find_first_not_of("0123456789", 1) != std::string_view::npos)
            return std::nullopt;
        std::string six(rest.substr(1, 6));
        six.resize(6, '0');
        std::from_chars(six.data(), six.data() + six.size(), micros);
    }
    return static_cast<std::int64_t>(timegm(&parts)) * 1'000'000 + micros;
}

std::string chargeJson(const Entry& entry)
{
    JsonWriter json;
    json.member("providerReference", entry.reference)
        .member("operationId", entry.charge.operationId)
        .member("status", nameOf(entry.status))
        .member("amount", decimalFromMinor(entry.charge.amountMinor, entry.charge.currency.exponent()))
        .member("currency", entry.charge.currency.code());
    if (entry.status == Status::Declined)
        json.member("declineCode", entry.declineCode);
    else
        json.null("declineCode");
    return json.take();
}

Error invalid(std::string detail)
{
    return Error{ErrorCode::RequestInvalid, std::move(detail)};
}

Result<std::string> readText(const JsonValue& body, std::string_view name, bool needed)
{
    constexpr std::size_t kLongest = 128;
    const JsonValue* value = body.find(name);
    if (!value && !needed)
        return std::string();
    if (!value || !value->isString() || value->text.size() > kLongest || (needed && value->text.empty()))
        return invalid("member \"" + std::string(name) + "\" must be a string of up to 128 bytes");
    return value->text;
}

Result<BankCharge> readCharge(const Request& request)
{
    const auto keys = request.headers.values("Idempotency-Key");
    if (keys.size() != 1 || keys[0].empty() || keys[0].size() > 255)
        return Error{keys.empty() ? ErrorCode::KeyMissing : ErrorCode::KeyInvalid,
                     "send one header Idempotency-Key of 1 to 255 characters"};
    const auto body = parseJson(request.body);
    if (!body)
        return body.error();
    if (!body->isObject())
        return invalid("the body must be an object");
    for (const JsonMember& member : body->members)
        if (member.name != "operationId" && member.name != "merchantReference" && member.name != "amount"
            && member.name != "currency")
            return invalid("member \"" + member.name + "\" is not known");
    const auto operationId = readText(*body, "operationId", true);
    const auto reference = readText(*body, "merchantReference", false);
    const auto amountText = readText(*body, "amount", true);
    const auto code = readText(*body, "currency", true);
    for (const Result<std::string>* text : {&operationId, &reference, &amountText, &code})
        if (!text->ok())
            return text->error();
    const auto currency = Currency::fromCode(*code);
    if (!currency)
        return currency.error();
    const auto amount = Money::fromDecimal(*amountText, *currency);
    if (!amount)
        return amount.error();
    if (amount->minor() <= 0)
        return Error{ErrorCode::AmountInvalid, "the amount must be above zero"};
    return BankCharge{std::string(keys[0]), *operationId, *reference, amount->minor(), *currency};
}

bool samePayload(const BankCharge& a, const BankCharge& b)
{
    return a.operationId == b.operationId && a.merchantReference == b.merchantReference
           && a.amountMinor == b.amountMinor && a.currency == b.currency;
}

Response lateAnswer()
{
    return http::problem(409, "send-before-passed", "The instant in Send-Before has passed",
                         "Nothing was booked, and nothing will be for this request.", RetryAdvice::SameKey);
}

} // namespace

struct Bank::Impl : std::enable_shared_from_this<Bank::Impl> {
    explicit Impl(http::Loop& owner) : loop(owner) {}

    void route(const Request& request, const Responder& responder);
    void charge(const Request& request, const Responder& responder);
    void book(const BankCharge& charge, const BankRule& rule, std::int64_t sendBeforeUs, const Responder& responder);
    Response bookNow(const BankCharge& charge, const BankRule& rule, std::int64_t sendBeforeUs, bool& refused);
    Entry& record(const BankCharge& charge, const BankRule& rule);
    void conclude(const BankRule& rule, bool refused, Response response, const Responder& responder);
    void later(std::int64_t ms, std::function<void()> work);
    Response inquiry(const std::string& operationId);
    Response script(const std::string& json);
    Response ledgerAnswer(const Request& request);
    std::string countsJson();

    http::Loop& loop;
    std::unique_ptr<http::Server> server; // its handler holds this weakly

    std::mutex mutex;
    BankScript rules;
    std::deque<Entry> entries; // references to them stay valid
    std::unordered_map<std::string, Entry*> byKey;
    std::unordered_map<std::string, Entry*> byOperation; // the first of each
    std::unordered_map<std::string, std::int64_t> attempts;
    std::unordered_map<std::string, std::int64_t> captures;
    BankCounts counts;
};

void Bank::Impl::route(const Request& request, const Responder& responder)
{
    constexpr std::string_view kCharges = "/charges";
    const bool isGet = request.method == "GET";
    const bool isPost = request.method == "POST";
    const std::string& path = request.path;
    if (path == kCharges && isPost)
        charge(request, responder);
    else if (path.starts_with("/charges/") && isGet)
        responder.answer(inquiry(path.substr(kCharges.size() + 1)));
    else if (path == "/script" && isPost)
        responder.answer(script(request.body));
    else if ((path == "/ledger" || path == "/ledger/counts") && isGet)
        responder.answer(ledgerAnswer(request));
    else if (path == kCharges || path.starts_with("/charges/") || path == "/script" || path.starts_with("/ledger"))
        responder.answer(http::problem(ProblemType::MethodNotAllowed, "app/bank/README.md says what the bank takes."));
    else
        responder.answer(http::problem(ProblemType::NotFound, "The bank has /charges, /script and /ledger."));
}

void Bank::Impl::charge(const Request& request, const Responder& responder)
{
    const auto read = readCharge(request);
    if (!read) {
        responder.answer(http::problemOf(read.error()));
        return;
    }
    std::int64_t sendBeforeUs = std::numeric_limits<std::int64_t>::max();
    if (const auto instants = request.headers.values("Send-Before"); !instants.empty()) {
        const auto instant = instants.size() == 1 ? parseInstant(instants[0]) : std::nullopt;
        if (!instant) {
            responder.answer(http::problemOf(invalid("Send-Before must be one RFC 3339 instant in UTC (…Z)")));
            return;
        }
        sendBeforeUs = *instant;
    }
    BankRule rule;
    {
        const std::lock_guard lock(mutex);
        ++counts.requests;
        if (const BankRule* found = rules.decide(*read, ++attempts[read->operationId]))
            rule = *found;
    }
    later(rule.delayBeforeBooking ? rule.delayMs : 0,
          [self = shared_from_this(), charge = *read, rule, sendBeforeUs, responder] {
              self->book(charge, rule, sendBeforeUs, responder);
          });
}

void Bank::Impl::book(const BankCharge& charge, const BankRule& rule, std::int64_t sendBeforeUs,
                      const Responder& responder)
{
    const bool books = rule.act != BankAct::Close && (rule.act != BankAct::Error || rule.book);
    Response response;
    bool refused = false;
    if (books)
        response = bookNow(charge, rule, sendBeforeUs, refused);
    later(rule.delayBeforeBooking ? 0 : rule.delayMs,
          [self = shared_from_this(), rule, refused, response = std::move(response), responder] {
              self->conclude(rule, refused, response, responder);
          });
}

// The instant of booking: the key, Send-Before and the entry are looked at and written under one lock.
Response Bank::Impl::bookNow(const BankCharge& charge, const BankRule& rule, std::int64_t sendBeforeUs, bool& refused)
{
    const std::lock_guard lock(mutex);
    if (rules.idempotent) {
        if (const auto known = byKey.find(charge.idempotencyKey); known != byKey.end()) {
            refused = !samePayload(known->second->charge, charge);
            if (refused)
                return http::problem(ProblemType::PayloadMismatch, "This key was used with another payload.");
            ++counts.replayed;
            return http::jsonResponse(200, chargeJson(*known->second));
        }
    }
    if (wallClockUs() >= sendBeforeUs) {
        refused = true;
        ++counts.late;
        return lateAnswer();
    }
    return http::jsonResponse(201, chargeJson(record(charge, rule)));
}

Entry& Bank::Impl::record(const BankCharge& charge, const BankRule& rule)
{
    char reference[32];
    std::snprintf(reference, sizeof reference, "BNK-%010zu", entries.size() + 1);
    Entry& entry = entries.emplace_back(Entry{charge, reference, Status::Captured, {}, wallClockUs()});
    if (rule.act == BankAct::Decline) {
        entry.status = Status::Declined;
        entry.declineCode = rule.declineCode;
        ++counts.declined;
    } else if (rule.act == BankAct::Pending) {
        entry.status = Status::Pending;
        ++counts.pending;
    } else {
        ++counts.booked;
        if (++captures[charge.operationId] == 1)
            ++counts.operations;
        else
            ++counts.duplicates;
    }
    byKey.try_emplace(charge.idempotencyKey, &entry);
    byOperation.try_emplace(charge.operationId, &entry);
    return entry;
}

void Bank::Impl::conclude(const BankRule& rule, bool refused, Response response, const Responder& responder)
{
    if (rule.act == BankAct::Drop || rule.act == BankAct::Close) {
        const std::lock_guard lock(mutex);
        ++counts.unanswered;
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

Response Bank::Impl::inquiry(const std::string& operationId)
{
    const std::lock_guard lock(mutex);
    if (!rules.inquiry)
        return http::problem(501, "no-inquiry", "This provider cannot be asked", "The script sets inquiry to false.",
                             RetryAdvice::Never);
    const auto found = byOperation.find(operationId);
    if (found == byOperation.end())
        return http::jsonResponse(404,
                                  JsonWriter().member("operationId", operationId).member("status", "not_found").take());
    return http::jsonResponse(200, chargeJson(*found->second));
}

Response Bank::Impl::script(const std::string& json)
{
    auto read = BankScript::fromJson(json);
    if (!read)
        return http::problemOf(read.error());
    const std::lock_guard lock(mutex);
    rules = std::move(*read);
    return http::jsonResponse(200, JsonWriter().number("rules", rules.rules.size()).take());
}

std::string Bank::Impl::countsJson()
{
    return JsonWriter()
        .number("requests", counts.requests)
        .number("booked", counts.booked)
        .number("operations", counts.operations)
        .number("duplicates", counts.duplicates)
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
    std::string charges = "[";
    for (const Entry& entry : entries) {
        if (entry.status != Status::Captured || (!wanted.empty() && wanted[0] != entry.charge.operationId))
            continue;
        charges += charges.size() > 1 ? "," : "";
        charges += JsonWriter()
                       .member("providerReference", entry.reference)
                       .member("operationId", entry.charge.operationId)
                       .member("idempotencyKey", entry.charge.idempotencyKey)
                       .member("merchantReference", entry.charge.merchantReference)
                       .member("amount", decimalFromMinor(entry.charge.amountMinor, entry.charge.currency.exponent()))
                       .member("currency", entry.charge.currency.code())
                       .member("bookedAt", rfc3339(entry.atUs))
                       .take();
    }
    charges += "]";
    return http::jsonResponse(200, JsonWriter().raw("counts", countsJson()).raw("charges", charges).take());
}

// ---- Bank

Bank::Bank(std::shared_ptr<Impl> impl) : m_impl(std::move(impl)) {}

Result<std::unique_ptr<Bank>> Bank::start(http::Loop& loop, BankOptions options)
{
    auto impl = std::make_shared<Impl>(loop);
    auto script = BankScript::fromJson(options.script);
    if (!script)
        return script.error();
    impl->rules = std::move(*script);
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
    auto read = BankScript::fromJson(json);
    if (!read)
        return read.error();
    const std::lock_guard lock(m_impl->mutex);
    m_impl->rules = std::move(*read);
    return {};
}

std::vector<BankBooking> Bank::ledger() const
{
    std::vector<BankBooking> out;
    const std::lock_guard lock(m_impl->mutex);
    for (const Entry& entry : m_impl->entries)
        if (entry.status == Status::Captured)
            out.push_back(BankBooking{entry.reference, entry.charge.idempotencyKey, entry.charge.operationId,
                                      entry.charge.merchantReference,
                                      decimalFromMinor(entry.charge.amountMinor, entry.charge.currency.exponent()),
                                      std::string(entry.charge.currency.code()), entry.atUs});
    return out;
}

BankCounts Bank::counts() const
{
    const std::lock_guard lock(m_impl->mutex);
    return m_impl->counts;
}

bool Bank::drain(std::chrono::milliseconds within)
{
    return m_impl->server->drain(within);
}

} // namespace tekil::sandbox
