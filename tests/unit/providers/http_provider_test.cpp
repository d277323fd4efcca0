// What a provider's answer proves, and what it does not.
#include "core/providers/http_provider.h"
#include "tests/support/test_main.h"

#include <QTest>

namespace {

using namespace tekil;
using namespace tekil::providers;

const Uuid kOperation = *Uuid::fromText("019cbdae-17be-7d51-84cb-d30304861d02");

Charge charge(bool first = true)
{
    return {.operationId = kOperation,
            .amount = Money(100'000, *Currency::fromCode("TRY")),
            .body = {},
            .sendBefore = {},
            .firstAttempt = first};
}

std::string answer(const std::string& status, const std::string& amount = "1000.00",
                   const std::string& currency = "TRY", const Uuid& operation = kOperation)
{
    return R"({"providerReference":"c-1","operationId":")" + operation.text() + R"(","status":")" + status
           + R"(","amount":")" + amount + R"(","currency":")" + currency + R"(","declineCode":null})";
}

ChargeOutcome read(int status, std::string body, bool first = true)
{
    ProviderRow row;
    row.definiteRefusals = {422};
    return classify(http::Answered{status, {}, std::move(body)}, charge(first), row);
}

class HttpProviderTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aCaptureOfTheSameMoneyIsProofAndHasNoOtherCause()
    {
        for (const int status : {200, 201}) {
            const ChargeOutcome outcome = read(status, answer("captured"));
            QVERIFY(outcome.proof == Proof::Captured);
            QVERIFY(!outcome.code.has_value());
            QVERIFY(outcome.reference == "c-1");
        }
        QVERIFY(read(200, answer("captured", "1e3")).proof == Proof::Captured);
    }

    void otherMoneyOrAnotherOperationIsNoProof()
    {
        QVERIFY(read(200, answer("captured", "1000.01")).code == "amount_mismatch");
        QVERIFY(read(200, answer("captured", "1000.00", "EUR")).code == "amount_mismatch");
        QVERIFY(read(200, answer("captured", "1000.00", "TRY", Uuid::next())).code == "other_operation");
        for (const auto& body : {answer("captured", "1000.01"), answer("captured", "1000.00", "EUR"),
                                 answer("captured", "1000.00", "TRY", Uuid::next()), answer("pending"),
                                 answer("refunded"), std::string("{"), std::string("[]"), std::string()})
            QVERIFY(read(200, body).proof == Proof::Unknown);
    }

    void aDeclineTellsItsCode()
    {
        const ChargeOutcome outcome = read(201, answer("declined"));
        QVERIFY(outcome.proof == Proof::Declined);
        QVERIFY(outcome.code == "declined");
    }

    void anyOtherStatusIsUnknownSaveAListedRefusalOfTheFirstAttempt()
    {
        for (const int status : {202, 302, 400, 404, 409, 500, 503})
            QVERIFY(read(status, answer("captured")).proof == Proof::Unknown);
        QVERIFY(read(422, "{}").proof == Proof::Refused);
        QVERIFY(read(422, "{}", false).proof == Proof::Unknown);
    }

    void silenceIsUnknownAndWhatWasNotSentIsSaidSo()
    {
        QVERIFY(classify(http::NoAnswer{"reset"}, charge(), {}).proof == Proof::Unknown);
        QVERIFY(classify(http::NotSent{"refused"}, charge(), {}).proof == Proof::NotSent);
    }

    void anInquiryFindsOrFindsNothingAndAllElseChangesNothing()
    {
        const auto ask = [](int status, std::string body) {
            return classifyInquiry(http::Answered{status, {}, std::move(body)}, kOperation, charge().amount);
        };
        const InquiryOutcome found = ask(200, answer("captured"));
        QVERIFY(found.charge.proof == Proof::Captured && !found.notFound);
        QVERIFY(!found.charge.code.has_value());
        QVERIFY(ask(404, R"({"status":"not_found"})").notFound);
        for (const auto& [status, body] : {std::pair<int, std::string>{404, "{}"},
                                           {404, "gone"},
                                           {500, answer("captured")},
                                           {200, R"({"error":"x"})"},
                                           {405, "{}"}}) {
            const InquiryOutcome outcome = ask(status, body);
            QVERIFY(!outcome.notFound && outcome.charge.proof == Proof::Unknown);
        }
    }
};

TEKIL_TEST(HttpProviderTest)

} // namespace

#include "http_provider_test.moc"
