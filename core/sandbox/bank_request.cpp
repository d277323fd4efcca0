#include "core/sandbox/bank_request.h"

#include "core/base/json.h"
#include "core/base/money.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <limits>
#include <span>

namespace tekil::sandbox {

namespace {

constexpr std::int64_t kSecondUs = 1'000'000;
constexpr std::int64_t kDayUs = 86'400 * kSecondUs;

constexpr std::array<std::string_view, 4> kChargeMembers{"operationId", "merchantReference", "amount", "currency"};
constexpr std::array<std::string_view, 4> kRefundMembers{"operationId", "originalOperationId", "amount", "currency"};

Error invalid(std::string detail)
{
    return Error{ErrorCode::RequestInvalid, std::move(detail)};
}

// `text` has the shape where d stands for a digit and everything else for itself.
bool hasShape(std::string_view text, std::string_view shape)
{
    if (text.size() != shape.size())
        return false;
    for (std::size_t i = 0; i < shape.size(); ++i)
        if (shape[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != shape[i])
            return false;
    return true;
}

int fieldOf(std::string_view text, std::size_t at, std::size_t size)
{
    int value = 0;
    std::from_chars(text.data() + at, text.data() + at + size, value);
    return value;
}

// "2026-03-05T14:07:09.118000Z" as microseconds since 1970; up to nine decimals, UTC only.
std::optional<std::int64_t> parseInstant(std::string_view text)
{
    constexpr std::string_view kDay = "dddd-dd-dd";
    constexpr std::string_view kTime = "Tdd:dd:dd";
    constexpr std::size_t kSeconds = kDay.size() + kTime.size();
    if (text.size() <= kSeconds || text.back() != 'Z' || !hasShape(text.substr(kDay.size(), kTime.size()), kTime))
        return std::nullopt;
    const auto day = parseDay(text.substr(0, kDay.size()));
    const int hour = fieldOf(text, 11, 2);
    const int minute = fieldOf(text, 14, 2);
    const int second = fieldOf(text, 17, 2);
    if (!day || hour > 23 || minute > 59 || second > 60)
        return std::nullopt;
    std::int64_t micros = 0;
    if (const std::string_view rest = text.substr(kSeconds, text.size() - kSeconds - 1); !rest.empty()) {
        constexpr std::size_t kMostDecimals = 9;
        if (rest.front() != '.' || rest.size() < 2 || rest.size() > kMostDecimals + 1
            || rest.find_first_not_of("0123456789", 1) != std::string_view::npos)
            return std::nullopt;
        std::string six(rest.substr(1, 6));
        six.resize(6, '0');
        std::from_chars(six.data(), six.data() + six.size(), micros);
    }
    return day->startUs + ((hour * 60 + minute) * 60 + second) * kSecondUs + micros;
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

Result<Money> readAmount(const JsonValue& body)
{
    const auto text = readText(body, "amount", true);
    if (!text)
        return text.error();
    const auto code = readText(body, "currency", true);
    if (!code)
        return code.error();
    const auto currency = Currency::fromCode(*code);
    if (!currency)
        return currency.error();
    auto amount = Money::fromDecimal(*text, *currency);
    if (amount.ok() && amount->minor() <= 0)
        return Error{ErrorCode::AmountInvalid, "the amount must be above zero"};
    return amount;
}

} // namespace

std::string_view nameOf(BankKind kind)
{
    switch (kind) {
    case BankKind::Charge: return "charge";
    case BankKind::Refund: return "refund";
    }
    return "";
}

bool samePayload(const BankOperation& a, const BankOperation& b)
{
    return a.kind == b.kind && a.operationId == b.operationId && a.originalOperationId == b.originalOperationId
           && a.merchantReference == b.merchantReference && a.amountMinor == b.amountMinor && a.currency == b.currency;
}

Result<BankOperation> readOperation(const http::Request& request, BankKind kind)
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
    const bool isCharge = kind == BankKind::Charge;
    const std::span<const std::string_view> known = isCharge ? kChargeMembers : kRefundMembers;
    for (const JsonMember& member : body->members)
        if (std::find(known.begin(), known.end(), member.name) == known.end())
            return invalid("member \"" + member.name + "\" is not known");
    const auto operationId = readText(*body, "operationId", true);
    if (!operationId)
        return operationId.error();
    const auto other = isCharge ? readText(*body, "merchantReference", false)
                                : readText(*body, "originalOperationId", true);
    if (!other)
        return other.error();
    const auto amount = readAmount(*body);
    if (!amount)
        return amount.error();
    return BankOperation{.kind = kind,
                         .idempotencyKey = std::string(keys[0]),
                         .operationId = *operationId,
                         .originalOperationId = isCharge ? "" : *other,
                         .merchantReference = isCharge ? *other : "",
                         .amountMinor = amount->minor(),
                         .currency = amount->currency()};
}

Result<std::int64_t> readSendBefore(const http::Request& request)
{
    const auto instants = request.headers.values("Send-Before");
    if (instants.empty())
        return std::numeric_limits<std::int64_t>::max();
    const auto instant = instants.size() == 1 ? parseInstant(instants[0]) : std::nullopt;
    if (!instant)
        return invalid("Send-Before must be one RFC 3339 instant in UTC (…Z)");
    return *instant;
}

std::optional<BankDay> parseDay(std::string_view text)
{
    if (!hasShape(text, "dddd-dd-dd"))
        return std::nullopt;
    const std::chrono::year_month_day date{std::chrono::year(fieldOf(text, 0, 4)),
                                           std::chrono::month(static_cast<unsigned>(fieldOf(text, 5, 2))),
                                           std::chrono::day(static_cast<unsigned>(fieldOf(text, 8, 2)))};
    if (!date.ok())
        return std::nullopt;
    const std::int64_t startUs = std::chrono::sys_days(date).time_since_epoch().count() * kDayUs;
    return BankDay{std::string(text), startUs, startUs + kDayUs};
}

} // namespace tekil::sandbox
