#include "core/sandbox/bank_script.h"

#include "core/base/json.h"
#include "core/base/money.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace tekil::sandbox {

namespace {

constexpr std::int64_t kMillion = 1'000'000;
constexpr std::int64_t kLongestDelayMs = 600'000;

Error invalid(const std::string& where, std::string_view why)
{
    return Error{ErrorCode::RequestInvalid, "script member \"" + where + "\" " + std::string(why)};
}

// Reads the members of one object; the first fault is kept, and what nobody asked for is a fault too.
class Reader {
public:
    Reader(const JsonValue& object, std::string where) : m_object(object), m_where(std::move(where))
    {
        if (!object.isObject())
            m_fault = invalid(m_where.empty() ? "(top)" : m_where, "must be an object");
    }

    const JsonValue* take(std::string_view name)
    {
        m_known.emplace_back(name);
        return m_object.find(name);
    }
    std::optional<std::string> text(std::string_view name)
    {
        const JsonValue* value = take(name);
        if (!value)
            return std::nullopt;
        if (!value->isString())
            fail(name, "must be a string");
        return value->text;
    }
    std::optional<std::int64_t> integer(std::string_view name, std::int64_t least, std::int64_t most)
    {
        const JsonValue* value = take(name);
        if (!value)
            return std::nullopt;
        std::int64_t number = 0;
        const char* end = value->text.data() + value->text.size();
        const auto [at, failed] = std::from_chars(value->text.data(), end, number);
        if (!value->isNumber() || failed != std::errc() || at != end || number < least || number > most)
            fail(name, "must be a whole number from " + std::to_string(least) + " to " + std::to_string(most));
        return number;
    }
    std::optional<bool> boolean(std::string_view name)
    {
        const JsonValue* value = take(name);
        if (!value)
            return std::nullopt;
        if (!value->isBool())
            fail(name, "must be true or false");
        return value->boolean;
    }
    void fail(std::string_view name, std::string_view why)
    {
        if (!m_fault)
            m_fault = invalid(pathOf(name), why);
    }
    void adopt(const Reader& inner)
    {
        if (!m_fault)
            m_fault = inner.m_fault;
    }
    void refuseUnknown()
    {
        for (const JsonMember& member : m_object.members)
            if (std::find(m_known.begin(), m_known.end(), member.name) == m_known.end())
                fail(member.name, "is not known");
    }
    std::string pathOf(std::string_view name) const
    {
        return m_where.empty() ? std::string(name) : m_where + "." + std::string(name);
    }
    const std::optional<Error>& fault() const { return m_fault; }

private:
    const JsonValue& m_object;
    std::string m_where;
    std::vector<std::string> m_known;
    std::optional<Error> m_fault;
};

struct ActName {
    std::string_view name;
    BankAct act;
};
constexpr std::array kActs{
    ActName{"capture", BankAct::Capture},
    ActName{"delay", BankAct::Capture},
    ActName{"decline", BankAct::Decline},
    ActName{"pending", BankAct::Pending},
    ActName{"drop", BankAct::Drop},
    ActName{"close", BankAct::Close},
    ActName{"error", BankAct::Error},
    ActName{"malformed", BankAct::Malformed},
    ActName{"late_capture", BankAct::LateCapture},
};

void readWhen(Reader& when, BankRule& rule)
{
    if (const auto kind = when.text("kind")) {
        rule.kind = *kind == nameOf(BankKind::Refund) ? BankKind::Refund : BankKind::Charge;
        if (*kind != nameOf(*rule.kind))
            when.fail("kind", "must be charge or refund");
    }
    rule.amount = when.text("amount");
    constexpr int kMostDecimals = 4; // no currency has more
    if (rule.amount && !minorFromDecimal(*rule.amount, kMostDecimals))
        when.fail("amount", "must be a decimal such as \"11.00\"");
    rule.currency = when.text("currency");
    if (rule.currency && !Currency::fromCode(*rule.currency))
        when.fail("currency", "must be an ISO 4217 code such as \"TRY\"");
    rule.operationId = when.text("operationId");
    rule.merchantReference = when.text("merchantReference");
    rule.attempt = when.integer("attempt", 1, kMillion);
    rule.everyNth = when.integer("everyNth", 1, kMillion);
    rule.times = when.integer("times", 1, kMillion);
    if (const auto share = when.text("share")) {
        const auto ppm = minorFromDecimal(*share, 6);
        if (!ppm || *ppm < 0 || *ppm > kMillion)
            when.fail("share", "must be a decimal from \"0\" to \"1\" with at most six decimals, as a string");
        else
            rule.sharePpm = *ppm;
    }
    when.refuseUnknown();
}

void readLateCapture(Reader& reader, BankRule& rule)
{
    const auto after = reader.integer("captureAfterMs", 1, kLongestDelayMs);
    if (!after)
        reader.fail("captureAfterMs", "is missing: how long after taking it up it is booked");
    rule.captureAfterMs = after.value_or(1);
    const std::string answer = reader.text("answer").value_or("pending");
    rule.unanswered = answer == "drop";
    if (answer != "pending" && answer != "drop")
        reader.fail("answer", "must be pending or drop");
}

void readAct(Reader& reader, BankRule& rule)
{
    const std::string act = reader.text("do").value_or("");
    const auto known = std::find_if(kActs.begin(), kActs.end(), [&](const ActName& row) { return row.name == act; });
    if (known == kActs.end())
        return reader.fail("do",
                           "must be capture, delay, decline, pending, late_capture, drop, close, error or malformed");
    rule.act = known->act;
    const auto delay = reader.integer("ms", 0, kLongestDelayMs);
    rule.delayMs = delay.value_or(0);
    if (act == "delay" && !delay)
        reader.fail("ms", "is missing: how long to wait");
    if (delay) {
        const std::string at = reader.text("at").value_or("after");
        rule.delayBeforeBooking = at == "before";
        if (at != "before" && at != "after")
            reader.fail("at", "must be before or after (the booking)");
    }
    if (rule.act == BankAct::Decline)
        rule.declineCode = reader.text("declineCode").value_or(rule.declineCode);
    if (rule.act == BankAct::LateCapture)
        readLateCapture(reader, rule);
    if (rule.act == BankAct::Drop || rule.act == BankAct::Close || rule.unanswered) {
        const std::string how = reader.text("how").value_or("fin");
        rule.reset = how == "rst";
        if (how != "fin" && how != "rst")
            reader.fail("how", "must be fin or rst");
    }
    if (rule.act == BankAct::Error) {
        rule.status = static_cast<int>(reader.integer("status", 400, 599).value_or(rule.status));
        rule.book = reader.boolean("book").value_or(false);
    }
    if (rule.takesUp())
        rule.notFoundMs = reader.integer("notFoundMs", 1, kLongestDelayMs).value_or(0);
}

Result<BankRule> readRule(const JsonValue& json, const std::string& where)
{
    BankRule rule;
    Reader reader(json, where);
    if (const JsonValue* when = reader.take("when")) {
        Reader inner(*when, reader.pathOf("when"));
        readWhen(inner, rule);
        reader.adopt(inner);
    }
    readAct(reader, rule);
    reader.refuseUnknown();
    if (reader.fault())
        return *reader.fault();
    return rule;
}

// FNV-1a with a final mix (splitmix64): the same on every machine and build.
std::uint64_t mix(std::uint64_t seed, std::size_t rule, std::string_view operationId, std::int64_t attempt)
{
    std::uint64_t hash = 0xCBF29CE484222325ULL ^ seed;
    for (const char c : operationId)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
    hash += (static_cast<std::uint64_t>(rule) << 32) + static_cast<std::uint64_t>(attempt);
    hash = (hash ^ (hash >> 30)) * 0xBF58476D1CE4E5B9ULL;
    hash = (hash ^ (hash >> 27)) * 0x94D049BB133111EBULL;
    return hash ^ (hash >> 31);
}

bool fits(const BankRule& rule, const BankOperation& operation, std::int64_t attempt)
{
    if (rule.amount) {
        const auto minor = minorFromDecimal(*rule.amount, operation.currency.exponent());
        if (!minor || *minor != operation.amountMinor)
            return false;
    }
    return (!rule.kind || *rule.kind == operation.kind)
           && (!rule.currency || *rule.currency == operation.currency.code())
           && (!rule.operationId || *rule.operationId == operation.operationId)
           && (!rule.merchantReference || *rule.merchantReference == operation.merchantReference)
           && (!rule.attempt || *rule.attempt == attempt);
}

} // namespace

Result<BankScript> BankScript::fromJson(std::string_view json)
{
    const auto value = parseJson(json);
    if (!value)
        return value.error();
    BankScript script;
    Reader top(*value, {});
    constexpr std::int64_t kLargestSeed = 9'007'199'254'740'991;
    script.seed = static_cast<std::uint64_t>(top.integer("seed", 0, kLargestSeed).value_or(1));
    script.idempotent = top.boolean("idempotent").value_or(true);
    script.inquiry = top.boolean("inquiry").value_or(true);
    script.forgetKeys = top.boolean("forgetKeys").value_or(false);
    constexpr std::int64_t kLongestMemoryMs = 86'400'000;
    if (const auto after = top.integer("forgetKeysAfterMs", 0, kLongestMemoryMs))
        script.forgetKeysAfter = std::chrono::milliseconds(*after);
    const JsonValue* rules = top.take("rules");
    top.refuseUnknown();
    if (rules && !rules->isArray())
        top.fail("rules", "must be an array");
    if (top.fault())
        return *top.fault();
    for (std::size_t i = 0; rules && i < rules->items.size(); ++i) {
        auto rule = readRule(rules->items[i], "rules[" + std::to_string(i) + "]");
        if (!rule)
            return rule.error();
        script.rules.push_back(std::move(*rule));
    }
    return script;
}

const BankRule* BankScript::decide(const BankOperation& operation, std::int64_t attempt)
{
    for (std::size_t i = 0; i < rules.size(); ++i) {
        BankRule& rule = rules[i];
        if (!fits(rule, operation, attempt))
            continue;
        ++rule.seen;
        if (rule.everyNth && rule.seen % *rule.everyNth != 0)
            continue;
        if (rule.sharePpm) {
            const auto lot = static_cast<std::int64_t>(mix(seed, i, operation.operationId, attempt) % kMillion);
            if (lot >= *rule.sharePpm)
                continue;
        }
        if (rule.times && rule.used >= *rule.times)
            continue;
        ++rule.used;
        return &rule;
    }
    return nullptr;
}

} // namespace tekil::sandbox
