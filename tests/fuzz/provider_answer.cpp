// Answers of a provider: nothing but our operation with our money proves an end.
#include "core/base/json.h"
#include "core/providers/answer_rules.h"
#include "tests/fuzz/property.h"

#include <cstdint>

using namespace tekil;
using namespace tekil::providers;

namespace {

constexpr const char* kOurs = "018f3a5e-7c4b-7d2a-9b1c-0a1b2c3d4e5f";

// Read once more, by other words than the rules use.
struct Claim {
    bool ours = false;
    bool sameMoney = false;
    std::string status;
};

Claim claimOf(const std::string& body, Uuid operation, Money money)
{
    Claim claim;
    const auto json = parseJson(body);
    if (!json || !json->isObject())
        return claim;
    for (const JsonMember& member : json->members) {
        if (member.name == "operationId" && member.value.isString()) {
            const auto id = Uuid::fromText(member.value.text);
            claim.ours = id.ok() && *id == operation;
        } else if (member.name == "status" && member.value.isString()) {
            claim.status = member.value.text;
        }
    }
    const JsonValue* const amount = json->find("amount");
    const JsonValue* const currency = json->find("currency");
    if (amount != nullptr && currency != nullptr && currency->text == money.currency().code()) {
        const auto read = Money::fromDecimal(amount->text, money.currency());
        claim.sameMoney = read.ok() && *read == money;
    }
    return claim;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size < 2)
        return 0;
    static const Uuid operation = Uuid::fromText(kOurs).value();
    static const Money money(100'000, Currency::fromCode("TRY").value());
    const int status = (data[0] % 6) * 100 + data[1] % 32;
    const std::string body(reinterpret_cast<const char*>(data + 2), size - 2);
    const http::Outcome answered = http::Answered{status, {}, body};
    const Claim claim = claimOf(body, operation, money);

    const Charge first{.operationId = operation, .amount = money, .body = {}, .sendBefore = {}, .firstAttempt = true};
    Charge second = first;
    second.firstAttempt = false;
    ProviderRow row;
    row.definiteRefusals = {402, 422};
    for (const Charge& charge : {first, second}) {
        const ChargeOutcome outcome = classify(answered, charge, row);
        const bool good = status == 200 || status == 201;
        fuzz::holds(outcome.proof != Proof::NotSent, "what was answered was sent");
        if (outcome.proof == Proof::Captured)
            fuzz::holds(good && claim.ours && claim.sameMoney && claim.status == "captured", "captured is this charge");
        if (outcome.proof == Proof::Declined)
            fuzz::holds(good && claim.ours && claim.status == "declined", "declined is this charge");
        if (outcome.proof == Proof::Refused)
            fuzz::holds(charge.firstAttempt && (status == 402 || status == 422), "refused only where listed, at first");
        if (good && claim.ours && claim.sameMoney && claim.status == "captured")
            fuzz::holds(outcome.proof == Proof::Captured, "a proof is not overlooked");
    }
    const InquiryOutcome inquiry = classifyInquiry(answered, operation, money);
    if (inquiry.notFound)
        fuzz::holds(status == 404 && claim.status == "not_found", "not found is the protocol's own word");
    if (inquiry.charge.proof == Proof::Captured)
        fuzz::holds(status == 200 && claim.ours && claim.sameMoney && claim.status == "captured",
                    "found is this charge");
    fuzz::holds(inquiry.charge.proof != Proof::Refused && inquiry.charge.proof != Proof::NotSent,
                "asking refuses nothing");
    return 0;
}
