#include "core/payments/request.h"

#include "core/base/json.h"

#include <array>
#include <charconv>
#include <string>
#include <utility>

namespace tekil::payments {

namespace {

constexpr std::size_t kMaxInvoiceLength = 64;
constexpr std::size_t kMaxCustomerLength = 128;
constexpr std::size_t kMaxTypeLength = 32;
constexpr std::size_t kMaxDescriptionLength = 500;
constexpr std::size_t kMaxProviderLength = 63;

constexpr std::array<std::string_view, 8> kMembers{"invoiceId",  "amount",      "currency",    "accountId",
                                                   "customerId", "paymentType", "description", "provider"};

Error wrong(std::string_view member, std::string_view what, ErrorCode code = ErrorCode::RequestInvalid)
{
    return Error{code, std::string(member) + ": " + std::string(what)};
}

std::size_t codePoints(std::string_view utf8)
{
    std::size_t count = 0;
    for (const char c : utf8)
        count += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    return count;
}

bool hasControl(std::string_view text)
{
    for (const char c : text)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
            return true;
    return false;
}

bool isInteger(std::string_view number)
{
    return number.find_first_of(".eE") == std::string_view::npos;
}

Result<std::string> readText(std::string_view member, const JsonValue& value, std::size_t maxLength)
{
    if (!value.isString())
        return wrong(member, "must be a string");
    const std::size_t length = codePoints(value.text);
    if (length == 0 || length > maxLength)
        return wrong(member, "must have 1 to " + std::to_string(maxLength) + " characters");
    if (hasControl(value.text))
        return wrong(member, "must not hold control characters");
    return value.text;
}

Result<void> readInvoice(const JsonValue& value, PaymentRequest& request)
{
    if (value.isNumber()) {
        if (!isInteger(value.text) || value.text.size() > kMaxInvoiceLength)
            return wrong("invoiceId", "must be an integer or a string of up to 64 characters");
        request.invoiceId = value.text == "-0" ? "0" : value.text;
        request.invoiceIsNumber = true;
        return {};
    }
    if (!value.isString())
        return wrong("invoiceId", "must be an integer or a string of up to 64 characters");
    auto text = readText("invoiceId", value, kMaxInvoiceLength);
    if (!text)
        return text.error();
    request.invoiceId = *std::move(text);
    return {};
}

Result<Money> readAmount(const JsonValue& amount, const JsonValue& currency)
{
    if (!currency.isString())
        return wrong("currency", "must be a string: an ISO 4217 code such as \"TRY\"");
    const auto known = Currency::fromCode(currency.text);
    if (!known)
        return wrong("currency", "must be an ISO 4217 code in upper case, such as \"TRY\"", ErrorCode::CurrencyInvalid);
    if (!amount.isNumber() && !amount.isString())
        return wrong("amount", "must be a number or a decimal string, in major units");
    const auto minor = minorFromDecimal(amount.text, known->exponent());
    if (!minor) {
        const bool overflow = minor.error().code == ErrorCode::AmountOverflow;
        return wrong("amount", overflow ? "must be at most 10^15 minor units" : minor.error().detail,
                     ErrorCode::AmountInvalid);
    }
    if (*minor <= 0)
        return wrong("amount", "must be greater than zero", ErrorCode::AmountInvalid);
    if (*minor > kMaxAmountMinor)
        return wrong("amount", "must be at most 10^15 minor units", ErrorCode::AmountInvalid);
    return Money(*minor, *known);
}

Result<std::int64_t> readAccount(const JsonValue& value)
{
    std::int64_t id = 0;
    const char* end = value.text.data() + value.text.size();
    if (value.isNumber()) {
        const auto [stop, error] = std::from_chars(value.text.data(), end, id);
        if (error == std::errc() && stop == end && id > 0)
            return id;
    }
    return wrong("accountId", "must be a positive integer");
}

Result<std::string> readPaymentType(const JsonValue& value)
{
    auto type = readText("paymentType", value, kMaxTypeLength);
    if (!type)
        return type;
    for (const char c : *type)
        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-'))
            return wrong("paymentType", "may hold a-z, 0-9, _ and - only");
    return type;
}

Result<void> readOptionalMembers(const JsonValue& object, PaymentRequest& request)
{
    if (const JsonValue* value = object.find("accountId")) {
        const auto id = readAccount(*value);
        if (!id)
            return id.error();
        request.accountId = *id;
    }
    if (const JsonValue* value = object.find("paymentType")) {
        auto type = readPaymentType(*value);
        if (!type)
            return type.error();
        request.paymentType = *std::move(type);
    }
    struct Text {
        std::string_view member;
        std::size_t maxLength;
        std::optional<std::string> PaymentRequest::* target;
    };
    for (const Text& text : {Text{"customerId", kMaxCustomerLength, &PaymentRequest::customerId},
                             Text{"description", kMaxDescriptionLength, &PaymentRequest::description},
                             Text{"provider", kMaxProviderLength, &PaymentRequest::provider}}) {
        const JsonValue* value = object.find(text.member);
        if (!value)
            continue;
        auto read = readText(text.member, *value, text.maxLength);
        if (!read)
            return read.error();
        request.*text.target = *std::move(read);
    }
    return {};
}

// Fields of the encoding: a tag, the length in eight bytes, the bytes.
class Encoder {
public:
    void field(char tag, std::string_view bytes)
    {
        m_bytes += tag;
        for (int shift = 56; shift >= 0; shift -= 8)
            m_bytes += static_cast<char>(static_cast<std::uint64_t>(bytes.size()) >> shift & 0xFF);
        m_bytes += bytes;
    }
    void optionalField(char tag, const std::optional<std::string>& text)
    {
        if (text)
            field(tag, *text);
    }
    const std::string& bytes() const { return m_bytes; }

private:
    std::string m_bytes;
};

} // namespace

Result<PaymentRequest> readPaymentRequest(std::string_view body)
{
    const auto json = parseJson(body);
    if (!json)
        return json.error();
    if (!json->isObject())
        return Error{ErrorCode::RequestInvalid, "the body must be a JSON object"};
    for (const JsonMember& member : json->members) {
        bool known = false;
        for (const std::string_view name : kMembers)
            known = known || name == member.name;
        if (!known)
            return wrong(member.name, "is not a member of a payment");
    }
    for (const std::string_view name : {"invoiceId", "amount", "currency"})
        if (!json->find(name))
            return wrong(name, "is missing");
    const auto amount = readAmount(*json->find("amount"), *json->find("currency"));
    if (!amount)
        return amount.error();
    PaymentRequest request{.invoiceId = {},
                           .amount = *amount,
                           .accountId = {},
                           .customerId = {},
                           .paymentType = {},
                           .description = {},
                           .provider = {}};
    if (const auto invoice = readInvoice(*json->find("invoiceId"), request); !invoice)
        return invoice.error();
    if (const auto rest = readOptionalMembers(*json, request); !rest)
        return rest.error();
    return request;
}

Sha256 canonicalHash(const PaymentRequest& request)
{
    static_assert(kHashVersion == 1, "a new encoding is a new version beside this one, never in its place");
    Encoder encoder;
    encoder.field('v', "1");
    encoder.field('k', "payment");
    encoder.field('i', request.invoiceId);
    encoder.field('m', std::to_string(request.amount.minor()));
    encoder.field('c', request.amount.currency().code());
    if (request.accountId)
        encoder.field('a', std::to_string(*request.accountId));
    encoder.optionalField('u', request.customerId);
    encoder.optionalField('t', request.paymentType);
    encoder.optionalField('d', request.description);
    encoder.optionalField('p', request.provider);
    return sha256(encoder.bytes());
}

} // namespace tekil::payments
