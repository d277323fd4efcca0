#include "core/providers/answer_rules.h"

#include "core/base/json.h"

#include <algorithm>

namespace tekil::providers {

namespace {

constexpr std::size_t kMaxReferenceLength = 200;
constexpr std::size_t kMaxCodeLength = 64;

std::optional<std::string> textMember(const JsonValue& object, std::string_view name, std::size_t maxLength)
{
    const JsonValue* value = object.find(name);
    if (!value || !value->isString() || value->text.empty() || value->text.size() > maxLength)
        return std::nullopt;
    return value->text;
}

bool isSameMoney(const JsonValue& answer, Money money)
{
    const JsonValue* amount = answer.find("amount");
    const JsonValue* currency = answer.find("currency");
    if (!amount || !currency || !currency->isString() || currency->text != money.currency().code())
        return false;
    if (!amount->isString() && !amount->isNumber())
        return false;
    const auto minor = minorFromDecimal(amount->text, money.currency().exponent());
    return minor.ok() && *minor == money.minor();
}

// A charge ends only by 200 or 201 with our operation id and a status that is an end.
void readCharge(const JsonValue& answer, Uuid operationId, Money expected, ChargeOutcome& outcome)
{
    const auto operation = textMember(answer, "operationId", 36);
    const auto id = operation ? Uuid::fromText(*operation) : Result<Uuid>(Error{ErrorCode::AnswerInvalid, ""});
    if (!id || *id != operationId) {
        outcome.code = "other_operation";
        return;
    }
    const auto status = textMember(answer, "status", 32);
    if (status == "captured" && isSameMoney(answer, expected)) {
        outcome.proof = Proof::Captured;
        outcome.code.reset(); // what was assumed of the answer until it was read
        outcome.reference = textMember(answer, "providerReference", kMaxReferenceLength);
    } else if (status == "captured") {
        outcome.code = "amount_mismatch";
        outcome.reference = textMember(answer, "providerReference", kMaxReferenceLength);
    } else if (status == "declined") {
        outcome.proof = Proof::Declined;
        outcome.code = textMember(answer, "declineCode", kMaxCodeLength).value_or("declined");
        outcome.reference = textMember(answer, "providerReference", kMaxReferenceLength);
    } else {
        outcome.code = status == "pending" ? "pending" : "unreadable_answer";
    }
}

ChargeOutcome readAnswer(const http::Answered& answered, const Charge& charge, const ProviderRow& provider)
{
    ChargeOutcome outcome;
    outcome.httpStatus = answered.status;
    // What cannot be stored as text is kept out; the status and the reason say enough.
    const auto json = parseJson(answered.body);
    if (json)
        outcome.answer = answered.body;
    if (answered.status == 200 || answered.status == 201) {
        outcome.code = "unreadable_answer";
        if (json && json->isObject())
            readCharge(*json, charge.operationId, charge.amount, outcome);
        return outcome;
    }
    const bool listed = answered.status >= 400 && answered.status < 500
                        && std::find(provider.definiteRefusals.begin(), provider.definiteRefusals.end(),
                                     answered.status)
                               != provider.definiteRefusals.end();
    if (listed && charge.firstAttempt)
        outcome.proof = Proof::Refused;
    outcome.code = "http_" + std::to_string(answered.status);
    return outcome;
}

} // namespace

ChargeOutcome classify(const http::Outcome& outcome, const Charge& charge, const ProviderRow& provider)
{
    if (std::holds_alternative<http::NotSent>(outcome))
        return {.proof = Proof::NotSent, .reference = {}, .code = "not_sent", .httpStatus = {}, .answer = {}};
    if (const auto* answered = std::get_if<http::Answered>(&outcome)) {
        ChargeOutcome result = readAnswer(*answered, charge, provider);
        result.sentAt = answered->sentAt;
        return result;
    }
    return {.proof = Proof::Unknown,
            .reference = {},
            .code = "no_answer",
            .httpStatus = {},
            .answer = {},
            .sentAt = std::get<http::NoAnswer>(outcome).sentAt,
            .unreached = true};
}

InquiryOutcome classifyInquiry(const http::Outcome& outcome, Uuid operationId, Money amount)
{
    InquiryOutcome result;
    result.charge.code = "inquiry_failed";
    const auto* answered = std::get_if<http::Answered>(&outcome);
    result.charge.unreached = answered == nullptr;
    if (!answered)
        return result;
    result.charge.httpStatus = answered->status;
    const auto json = parseJson(answered->body);
    if (!json || !json->isObject())
        return result;
    result.charge.answer = answered->body;
    if (answered->status == 200) {
        readCharge(*json, operationId, amount, result.charge);
    } else if (answered->status == 404 && textMember(*json, "status", 32) == "not_found") {
        result.notFound = true;
        result.charge.code = "not_found";
    }
    return result;
}

} // namespace tekil::providers
