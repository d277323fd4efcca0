#include "core/base/clock.h"
#include "core/base/json.h"
#include "core/http/client.h"
#include "core/sandbox/bank.h"
#include "core/sandbox/bank_books.h"
#include "tests/support/test_main.h"

#include <QTest>
#include <future>
#include <limits>

using namespace tekil;
using namespace tekil::http;
using namespace tekil::sandbox;

namespace {

int statusOf(const Outcome& outcome)
{
    const auto* answered = std::get_if<Answered>(&outcome);
    return answered ? answered->status : 0;
}

std::string member(const Outcome& outcome, std::string_view name)
{
    const auto* answered = std::get_if<Answered>(&outcome);
    const auto body = answered ? parseJson(answered->body) : Result<JsonValue>(Error{ErrorCode::NoAnswer, ""});
    const JsonValue* value = body.ok() ? body->find(name) : nullptr;
    return value ? value->text : "";
}

BankOperation chargeOf(const std::string& operation, std::int64_t minor)
{
    return {BankKind::Charge, operation, operation, "", "INV-1", minor, Currency::fromCode("TRY").value()};
}

struct Desk {
    explicit Desk(const char* script = "{}")
    {
        bank = std::move(Bank::start(loop, {"127.0.0.1:0", script}).value());
        const ClientOptions options{.baseUrl = bank->url(), .timeout = std::chrono::milliseconds(700)};
        client = std::move(Client::create(loop, options).value());
    }
    Outcome send(OutRequest request)
    {
        std::promise<Outcome> promise;
        client->request(std::move(request), [&promise](Outcome outcome) { promise.set_value(std::move(outcome)); });
        return promise.get_future().get();
    }
    Outcome charge(const std::string& operation, const std::string& amount = "10.00", Headers headers = {},
                   const char* currency = "TRY", const char* reference = "INV-1")
    {
        headers.add("Idempotency-Key", operation);
        return send({"POST", "/charges", headers,
                     JsonWriter()
                         .member("operationId", operation)
                         .member("merchantReference", reference)
                         .member("amount", amount)
                         .member("currency", currency)
                         .take()});
    }
    Outcome refund(const std::string& operation, const std::string& original, const std::string& amount = "10.00",
                   Headers headers = {}, const char* currency = "TRY")
    {
        headers.add("Idempotency-Key", operation);
        return send({"POST", "/refunds", headers,
                     JsonWriter()
                         .member("operationId", operation)
                         .member("originalOperationId", original)
                         .member("amount", amount)
                         .member("currency", currency)
                         .take()});
    }
    int script(const std::string& json) { return statusOf(send({"POST", "/script", {}, json})); }
    std::string text(const std::string& path)
    {
        const Outcome outcome = get(path);
        const auto* answered = std::get_if<Answered>(&outcome);
        return answered ? answered->body : "";
    }
    std::string inquire(const std::string& path) { return member(get(path), "status"); }
    Outcome get(const std::string& path) { return send({"GET", path}); }

    Loop loop;
    std::unique_ptr<Bank> bank;
    std::unique_ptr<Client> client;
};

} // namespace

class BankTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void chargeIsBookedOnceForItsKey();
    void sameKeyWithAnotherPayloadIsRefused();
    void inquiryTellsTheCharge();
    void passedSendBeforeBooksNothing();
    void sendBeforeCountsAtTheBookingAndNotAtTheArrival();
    void droppedAnswerLeavesABooking_data();
    void droppedAnswerLeavesABooking();
    void closeAfterReadingBooksNothing();
    void declineIsRememberedForTheKey();
    void delayAfterBookingOutlivesTheClient();
    void withoutIdempotencyEachRequestBooks();
    void withoutInquiryNobodyIsAnswered();
    void everyNthAndTimesCount();
    void shareIsDecidedBySeedAndOperation();
    void errorAndMalformedAnswers();
    void badChargesAreRefused_data();
    void badChargesAreRefused();
    void unknownScriptMembersAreRefusedByName_data();
    void unknownScriptMembersAreRefusedByName();
    void ledgerListsDuplicates();
    void lateCaptureIsPendingUntilItIsBooked();
    void lateCaptureMayComeWithoutAnAnswer();
    void aHiddenChargeIsNotFoundForAWhile();
    void keysAreForgottenOnDemand();
    void keysAreForgottenAfterAWhile();
    void refundIsBookedOnceForItsKey();
    void refundOfWhatWasNotCapturedIsDeclined();
    void refundsNeverExceedTheCapture();
    void aPendingRefundHoldsItsAmount();
    void aChargesKeyIsNoRefundsKey();
    void refundsObeyRulesOfTheirKind();
    void badRefundsAreRefused_data();
    void badRefundsAreRefused();
    void settlementListsTheDaysBookings();
    void settlementCutsAtTheDaysEnds();
    void settlementAsksForOneDay_data();
    void settlementAsksForOneDay();
};

void BankTest::chargeIsBookedOnceForItsKey()
{
    Desk desk;
    const Outcome first = desk.charge("op-1", "1000.00");
    QCOMPARE(statusOf(first), 201);
    QCOMPARE(member(first, "status"), std::string("captured"));
    QCOMPARE(member(first, "amount"), std::string("1000.00"));
    const Outcome second = desk.charge("op-1", "1e3");
    QCOMPARE(statusOf(second), 200);
    QCOMPARE(member(second, "providerReference"), member(first, "providerReference"));
    QCOMPARE(desk.bank->ledger().size(), std::size_t(1));
    QCOMPARE(desk.bank->counts().replayed, std::uint64_t(1));
}

void BankTest::sameKeyWithAnotherPayloadIsRefused()
{
    Desk desk;
    desk.charge("op-1", "10.00");
    QCOMPARE(statusOf(desk.charge("op-1", "10.01")), 422);
    QCOMPARE(desk.bank->counts().booked, std::uint64_t(1));
}

void BankTest::inquiryTellsTheCharge()
{
    Desk desk;
    const Outcome unknown = desk.get("/charges/op-1");
    QCOMPARE(statusOf(unknown), 404);
    QCOMPARE(member(unknown, "status"), std::string("not_found"));
    QCOMPARE(member(unknown, "operationId"), std::string("op-1"));
    desk.charge("op-1");
    const Outcome known = desk.get("/charges/op-1");
    QCOMPARE(statusOf(known), 200);
    QCOMPARE(member(known, "status"), std::string("captured"));
}

void BankTest::passedSendBeforeBooksNothing()
{
    Desk desk;
    const std::int64_t now = wallClockUs();
    const Outcome late = desk.charge("op-1", "10.00", {{"Send-Before", rfc3339(now - 1'000)}});
    QCOMPARE(statusOf(late), 409);
    QCOMPARE(member(late, "type"), std::string("/problems/send-before-passed"));
    QVERIFY(desk.bank->ledger().empty());
    QCOMPARE(statusOf(desk.get("/charges/op-1")), 404);
    QCOMPARE(statusOf(desk.charge("op-1", "10.00", {{"Send-Before", "tomorrow"}})), 400);
    QCOMPARE(statusOf(desk.charge("op-1", "10.00", {{"Send-Before", rfc3339(now + 60'000'000)}})), 201);
}

void BankTest::sendBeforeCountsAtTheBookingAndNotAtTheArrival()
{
    Desk desk(R"({"rules":[{"do":"delay","ms":300,"at":"before"}]})");
    const Outcome late = desk.charge("op-1", "10.00", {{"Send-Before", rfc3339(wallClockUs() + 100'000)}});
    QCOMPARE(statusOf(late), 409);
    QCOMPARE(desk.bank->counts().late, std::uint64_t(1));
    QVERIFY(desk.bank->ledger().empty());
}

void BankTest::droppedAnswerLeavesABooking_data()
{
    QTest::addColumn<QByteArray>("script");
    QTest::newRow("FIN") << QByteArray(R"({"rules":[{"when":{"amount":"11.0","attempt":1},"do":"drop"}]})");
    QTest::newRow("RST") << QByteArray(R"({"rules":[{"when":{"amount":"11","attempt":1},"do":"drop","how":"rst"}]})");
    QTest::newRow("later") << QByteArray(R"({"rules":[{"when":{"amount":"11","attempt":1},"do":"drop","ms":300}]})");
}

void BankTest::droppedAnswerLeavesABooking()
{
    QFETCH(QByteArray, script);
    Desk desk(script.constData());
    QVERIFY(std::holds_alternative<NoAnswer>(desk.charge("op-1", "11.00")));
    QCOMPARE(desk.bank->ledger().size(), std::size_t(1));
    QCOMPARE(desk.bank->counts().requests, std::uint64_t(1));
    QCOMPARE(statusOf(desk.charge("op-1", "11.00")), 200);
    QCOMPARE(statusOf(desk.charge("op-2", "11.01")), 201);
    QCOMPARE(desk.bank->counts().duplicates, std::uint64_t(0));
}

void BankTest::closeAfterReadingBooksNothing()
{
    Desk desk(R"({"rules":[{"when":{"times":1},"do":"close","how":"rst"}]})");
    QVERIFY(std::holds_alternative<NoAnswer>(desk.charge("op-1")));
    QVERIFY(desk.bank->ledger().empty());
    QCOMPARE(desk.bank->counts().unanswered, std::uint64_t(1));
    QCOMPARE(statusOf(desk.charge("op-1")), 201);
}

void BankTest::declineIsRememberedForTheKey()
{
    Desk desk(R"({"rules":[{"when":{"attempt":1},"do":"decline","declineCode":"stolen_card"}]})");
    for (int i = 0; i < 2; ++i) {
        const Outcome outcome = desk.charge("op-1");
        QCOMPARE(member(outcome, "status"), std::string("declined"));
        QCOMPARE(member(outcome, "declineCode"), std::string("stolen_card"));
    }
    QCOMPARE(member(desk.get("/charges/op-1"), "status"), std::string("declined"));
    QCOMPARE(desk.script(R"({"rules":[{"do":"decline","declineCode":""}]})"), 200);
    QCOMPARE(member(desk.charge("op-2"), "status"), std::string("declined"));
    QVERIFY(desk.bank->ledger().empty());
}

void BankTest::delayAfterBookingOutlivesTheClient()
{
    Desk desk(R"({"rules":[{"do":"delay","ms":2000}]})");
    QVERIFY(std::holds_alternative<NoAnswer>(desk.charge("op-1")));
    QCOMPARE(desk.bank->ledger().size(), std::size_t(1));
}

void BankTest::withoutIdempotencyEachRequestBooks()
{
    Desk desk(R"({"idempotent":false})");
    desk.charge("op-1");
    desk.charge("op-1");
    QCOMPARE(desk.bank->counts().booked, std::uint64_t(2));
    QCOMPARE(desk.bank->counts().duplicates, std::uint64_t(1));
}

void BankTest::withoutInquiryNobodyIsAnswered()
{
    Desk desk(R"({"inquiry":false})");
    desk.charge("op-1");
    QCOMPARE(statusOf(desk.get("/charges/op-1")), 501);
    QCOMPARE(statusOf(desk.get("/charges/op-2")), 501);
}

void BankTest::everyNthAndTimesCount()
{
    Desk desk(R"({"rules":[{"when":{"everyNth":3,"times":2},"do":"decline"}]})");
    std::string fates;
    for (int i = 1; i <= 10; ++i)
        fates += member(desk.charge("op-" + std::to_string(i)), "status").at(0);
    QCOMPARE(fates, std::string("ccdccdcccc"));
}

void BankTest::shareIsDecidedBySeedAndOperation()
{
    const auto fates = [](const char* script) {
        Desk desk(script);
        std::string out;
        for (int i = 1; i <= 200; ++i)
            out += member(desk.charge("op-" + std::to_string(i)), "status").at(0);
        return out;
    };
    const std::string once = fates(R"({"seed":7,"rules":[{"when":{"share":"0.25"},"do":"decline"}]})");
    QCOMPARE(fates(R"({"seed":7,"rules":[{"when":{"share":"0.25"},"do":"decline"}]})"), once);
    QVERIFY(fates(R"({"seed":8,"rules":[{"when":{"share":"0.25"},"do":"decline"}]})") != once);
    const auto declined = std::count(once.begin(), once.end(), 'd');
    QVERIFY(declined > 25 && declined < 75);
}

void BankTest::errorAndMalformedAnswers()
{
    Desk desk(R"({"rules":[{"when":{"amount":"1"},"do":"error","status":502},
                           {"when":{"amount":"2"},"do":"error","book":true},
                           {"when":{"amount":"3"},"do":"malformed"},
                           {"when":{"amount":"4"},"do":"pending"}]})");
    QCOMPARE(statusOf(desk.charge("op-1", "1.00")), 502);
    QCOMPARE(statusOf(desk.charge("op-2", "2.00")), 503);
    const Outcome malformed = desk.charge("op-3", "3.00");
    QCOMPARE(statusOf(malformed), 201);
    QVERIFY(!parseJson(std::get<Answered>(malformed).body).ok());
    QCOMPARE(member(desk.charge("op-4", "4.00"), "status"), std::string("pending"));
    QCOMPARE(desk.bank->ledger().size(), std::size_t(2));
}

void BankTest::badChargesAreRefused_data()
{
    QTest::addColumn<QByteArray>("body");
    QTest::newRow("not JSON") << QByteArray("x");
    QTest::newRow("array") << QByteArray("[]");
    QTest::newRow("amount as a number") << QByteArray(R"({"operationId":"o","amount":10.00,"currency":"TRY"})");
    QTest::newRow("too many decimals") << QByteArray(R"({"operationId":"o","amount":"10.001","currency":"TRY"})");
    QTest::newRow("zero") << QByteArray(R"({"operationId":"o","amount":"0.00","currency":"TRY"})");
    QTest::newRow("negative") << QByteArray(R"({"operationId":"o","amount":"-1.00","currency":"TRY"})");
    QTest::newRow("beyond int64") << QByteArray(
        R"({"operationId":"o","amount":"92233720368547758.08","currency":"TRY"})");
    QTest::newRow("lower case currency") << QByteArray(R"({"operationId":"o","amount":"1.00","currency":"inr"})");
    QTest::newRow("no operation") << QByteArray(R"({"amount":"1.00","currency":"TRY"})");
    QTest::newRow("unknown member") << QByteArray(R"({"operationId":"o","amount":"1.00","currency":"TRY","x":1})");
}

void BankTest::badChargesAreRefused()
{
    QFETCH(QByteArray, body);
    Desk desk;
    QCOMPARE(statusOf(desk.send({"POST", "/charges", {{"Idempotency-Key", "o"}}, body.toStdString()})), 400);
    QVERIFY(desk.bank->ledger().empty());
    QCOMPARE(statusOf(desk.send({"POST", "/charges", {}, R"({"operationId":"o","amount":"1.00","currency":"TRY"})"})),
             400);
}

void BankTest::unknownScriptMembersAreRefusedByName_data()
{
    QTest::addColumn<QByteArray>("script");
    QTest::addColumn<QByteArray>("named");
    const auto row = [](const char* script, const char* named) {
        QTest::newRow(script) << QByteArray(script) << QByteArray(named);
    };
    row(R"({"idempotnt":false})", "\"idempotnt\"");
    row(R"({"idempotent":"no"})", "\"idempotent\"");
    row(R"({"rules":{}})", "\"rules\"");
    row(R"({"rules":[{"do":"explode"}]})", "\"rules[0].do\"");
    row(R"({"rules":[{"when":{}}]})", "\"rules[0].do\"");
    row(R"({"rules":[{"do":"drop"},{"do":"drop","how":"slam"}]})", "\"rules[1].how\"");
    row(R"({"rules":[{"do":"drop","declineCode":"x"}]})", "\"rules[0].declineCode\"");
    row(R"({"rules":[{"do":"delay"}]})", "\"rules[0].ms\"");
    row(R"({"rules":[{"do":"delay","ms":1.5}]})", "\"rules[0].ms\"");
    row(R"({"rules":[{"when":{"ammount":"1"},"do":"drop"}]})", "\"rules[0].when.ammount\"");
    row(R"({"rules":[{"when":{"amount":11.00},"do":"drop"}]})", "\"rules[0].when.amount\"");
    row(R"({"rules":[{"when":{"everyNth":0},"do":"drop"}]})", "\"rules[0].when.everyNth\"");
    row(R"({"rules":[{"when":{"share":"1.5"},"do":"drop"}]})", "\"rules[0].when.share\"");
    row(R"({"rules":[3]})", "\"rules[0]\"");
    row(R"({"forgetKeys":1})", "\"forgetKeys\"");
    row(R"({"forgetKeysAfterMs":-1})", "\"forgetKeysAfterMs\"");
    row(R"({"rules":[{"when":{"kind":"reversal"},"do":"drop"}]})", "\"rules[0].when.kind\"");
    row(R"({"rules":[{"do":"late_capture"}]})", "\"rules[0].captureAfterMs\"");
    row(R"({"rules":[{"do":"capture","captureAfterMs":5}]})", "\"rules[0].captureAfterMs\"");
    row(R"({"rules":[{"do":"late_capture","captureAfterMs":5,"answer":"no"}]})", "\"rules[0].answer\"");
    row(R"({"rules":[{"do":"late_capture","captureAfterMs":5,"how":"rst"}]})", "\"rules[0].how\"");
    row(R"({"rules":[{"do":"close","notFoundMs":5}]})", "\"rules[0].notFoundMs\"");
    row(R"({"rules":[{"do":"drop","notFoundMs":0}]})", "\"rules[0].notFoundMs\"");
    row("{", "JSON");
}

void BankTest::unknownScriptMembersAreRefusedByName()
{
    QFETCH(QByteArray, script);
    QFETCH(QByteArray, named);
    Desk desk(R"({"idempotent":false})");
    const Outcome refused = desk.send({"POST", "/script", {}, script.toStdString()});
    QCOMPARE(statusOf(refused), 400);
    const std::string detail = member(refused, "detail");
    QVERIFY2(detail.find(named.toStdString()) != std::string::npos, detail.c_str());
    desk.charge("op-1");
    desk.charge("op-1");
    QCOMPARE(desk.bank->counts().booked, std::uint64_t(2)); // the old script still holds
    QCOMPARE(statusOf(desk.send({"POST", "/script", {}, "{}"})), 200);
    QCOMPARE(statusOf(desk.charge("op-1")), 200);
}

void BankTest::ledgerListsDuplicates()
{
    Desk desk(R"({"idempotent":false})");
    desk.charge("op-1");
    desk.charge("op-1");
    desk.charge("op-2");
    const Outcome all = desk.get("/ledger");
    const auto body = parseJson(std::get<Answered>(all).body);
    QCOMPARE(body->find("charges")->items.size(), std::size_t(3));
    QCOMPARE(body->find("counts")->find("duplicates")->text, std::string("1"));
    const Outcome one = desk.get("/ledger?operationId=op-1");
    QCOMPARE(parseJson(std::get<Answered>(one).body)->find("charges")->items.size(), std::size_t(2));
    QCOMPARE(member(desk.get("/ledger/counts"), "booked"), std::string("3"));
    QCOMPARE(statusOf(desk.send({"DELETE", "/ledger"})), 405);
    QCOMPARE(statusOf(desk.get("/nothing")), 404);
}

void BankTest::lateCaptureIsPendingUntilItIsBooked()
{
    Desk desk(R"({"rules":[{"do":"late_capture","captureAfterMs":600}]})");
    const Outcome first = desk.charge("op-1", "10.00", {{"Send-Before", rfc3339(wallClockUs() + 500'000)}});
    QCOMPARE(statusOf(first), 201);
    QCOMPARE(member(first, "status"), std::string("pending"));
    QVERIFY(desk.bank->ledger().empty());
    QCOMPARE(desk.inquire("/charges/op-1"), std::string("pending"));
    QCOMPARE(desk.script("{}"), 200); // another script stops nothing that was taken up
    QTRY_COMPARE(desk.bank->ledger().size(), std::size_t(1));
    QCOMPARE(desk.inquire("/charges/op-1"), std::string("captured"));
    const Outcome again = desk.charge("op-1");
    QCOMPARE(statusOf(again), 200);
    QCOMPARE(member(again, "status"), std::string("captured"));
    QCOMPARE(member(again, "providerReference"), member(first, "providerReference"));
    QCOMPARE(desk.bank->counts().booked, std::uint64_t(1));
    QCOMPARE(desk.bank->counts().pending, std::uint64_t(1));
}

void BankTest::lateCaptureMayComeWithoutAnAnswer()
{
    Desk desk(
        R"({"rules":[{"when":{"times":1},"do":"late_capture","captureAfterMs":600,"answer":"drop","how":"rst"}]})");
    QVERIFY(std::holds_alternative<NoAnswer>(desk.charge("op-1")));
    QVERIFY(desk.bank->ledger().empty());
    QCOMPARE(desk.inquire("/charges/op-1"), std::string("pending"));
    QCOMPARE(desk.bank->counts().unanswered, std::uint64_t(1));
    QTRY_COMPARE(desk.inquire("/charges/op-1"), std::string("captured"));
    QCOMPARE(desk.bank->ledger().size(), std::size_t(1));
}

void BankTest::aHiddenChargeIsNotFoundForAWhile()
{
    Desk desk(R"({"rules":[{"do":"drop","notFoundMs":1000}]})");
    desk.charge("op-1");
    QCOMPARE(desk.bank->ledger().size(), std::size_t(1));
    const Outcome hidden = desk.get("/charges/op-1");
    QCOMPARE(statusOf(hidden), 404);
    QCOMPARE(member(hidden, "status"), std::string("not_found"));
    QTRY_COMPARE(desk.inquire("/charges/op-1"), std::string("captured"));
}

void BankTest::keysAreForgottenOnDemand()
{
    Desk desk;
    desk.charge("op-1");
    QCOMPARE(statusOf(desk.charge("op-1")), 200);
    QCOMPARE(desk.script(R"({"forgetKeys":true})"), 200);
    QCOMPARE(statusOf(desk.charge("op-1")), 201);
    QCOMPARE(statusOf(desk.charge("op-1")), 200); // once, not for ever
    QCOMPARE(desk.bank->counts().duplicates, std::uint64_t(1));
    QCOMPARE(desk.inquire("/charges/op-1"), std::string("captured"));
}

void BankTest::keysAreForgottenAfterAWhile()
{
    Desk desk(R"({"forgetKeysAfterMs":1500})");
    desk.charge("op-1");
    QCOMPARE(statusOf(desk.charge("op-1")), 200);
    QTest::qWait(1600);
    QCOMPARE(statusOf(desk.charge("op-1")), 201);
    QCOMPARE(statusOf(desk.charge("op-1")), 200);
    QCOMPARE(desk.bank->counts().duplicates, std::uint64_t(1));
}

void BankTest::refundIsBookedOnceForItsKey()
{
    Desk desk;
    desk.charge("op-1", "10.00");
    QCOMPARE(desk.inquire("/refunds/re-1"), std::string("not_found"));
    const Outcome first = desk.refund("re-1", "op-1", "4.00");
    QCOMPARE(statusOf(first), 201);
    QCOMPARE(member(first, "status"), std::string("refunded"));
    QCOMPARE(member(first, "operationId"), std::string("re-1"));
    QCOMPARE(member(first, "amount"), std::string("4.00"));
    const Outcome second = desk.refund("re-1", "op-1", "4.0");
    QCOMPARE(statusOf(second), 200);
    QCOMPARE(member(second, "providerReference"), member(first, "providerReference"));
    QCOMPARE(statusOf(desk.refund("re-1", "op-1", "4.01")), 422);
    QCOMPARE(desk.inquire("/refunds/re-1"), std::string("refunded"));
    QCOMPARE(desk.inquire("/charges/re-1"), std::string("not_found"));
    QCOMPARE(desk.inquire("/charges/op-1"), std::string("captured"));
    const auto ledger = parseJson(desk.text("/ledger"));
    QCOMPARE(ledger->find("charges")->items.size(), std::size_t(1));
    QCOMPARE(ledger->find("refunds")->items.size(), std::size_t(1));
    QCOMPARE(ledger->find("refunds")->items[0].find("originalOperationId")->text, std::string("op-1"));
    QCOMPARE(ledger->find("counts")->find("refunds")->text, std::string("1"));
    QCOMPARE(ledger->find("counts")->find("booked")->text, std::string("1"));
    QCOMPARE(ledger->find("counts")->find("refundRequests")->text, std::string("3"));
}

void BankTest::refundOfWhatWasNotCapturedIsDeclined()
{
    Desk desk(R"({"rules":[{"when":{"amount":"2"},"do":"pending"},{"when":{"amount":"3"},"do":"decline"}]})");
    desk.charge("op-1", "10.00");
    desk.charge("op-2", "2.00");
    desk.charge("op-3", "3.00");
    desk.refund("re-1", "op-1", "1.00");
    const auto declined = [&desk](const char* key, const char* original, const char* currency = "TRY") {
        const Outcome outcome = desk.refund(key, original, "1.00", {}, currency);
        return statusOf(outcome) == 201 && member(outcome, "status") == "declined"
               && member(outcome, "declineCode") == "unknown_charge";
    };
    QVERIFY(declined("re-2", "op-9"));
    QVERIFY(declined("re-3", "op-2")); // pending
    QVERIFY(declined("re-4", "op-3")); // declined
    QVERIFY(declined("re-5", "re-1")); // a refund
    QVERIFY(declined("re-6", "op-1", "USD"));
    desk.charge("op-9", "10.00");
    QCOMPARE(member(desk.refund("re-2", "op-9", "1.00"), "status"), std::string("declined")); // its key's answer stands
    QCOMPARE(desk.bank->counts().refunds, std::uint64_t(1));
}

void BankTest::refundsNeverExceedTheCapture()
{
    Desk desk;
    desk.charge("op-1", "10.00");
    QCOMPARE(member(desk.refund("re-1", "op-1", "6.00"), "status"), std::string("refunded"));
    const Outcome tooMuch = desk.refund("re-2", "op-1", "4.01");
    QCOMPARE(member(tooMuch, "status"), std::string("declined"));
    QCOMPARE(member(tooMuch, "declineCode"), std::string("exceeds_capture"));
    QCOMPARE(member(desk.refund("re-3", "op-1", "4.00"), "status"), std::string("refunded"));
    QCOMPARE(member(desk.refund("re-4", "op-1", "0.01"), "status"), std::string("declined"));
    QCOMPARE(desk.bank->counts().refunds, std::uint64_t(2));
    // Not even where each request books: the sum counts, not the key.
    QCOMPARE(desk.script(R"({"idempotent":false})"), 200);
    desk.charge("op-2", "10.00");
    QCOMPARE(member(desk.refund("re-5", "op-2", "10.00"), "status"), std::string("refunded"));
    QCOMPARE(member(desk.refund("re-5", "op-2", "10.00"), "status"), std::string("declined"));
}

void BankTest::aPendingRefundHoldsItsAmount()
{
    Desk desk(R"({"rules":[{"when":{"amount":"6"},"do":"late_capture","captureAfterMs":500}]})");
    desk.charge("op-1", "10.00");
    QCOMPARE(member(desk.refund("re-1", "op-1", "6.00"), "status"), std::string("pending"));
    QCOMPARE(member(desk.refund("re-2", "op-1", "4.01"), "declineCode"), std::string("exceeds_capture"));
    QTRY_COMPARE(desk.inquire("/refunds/re-1"), std::string("refunded"));
    QCOMPARE(member(desk.refund("re-3", "op-1", "4.00"), "status"), std::string("refunded"));
    QCOMPARE(desk.bank->counts().refunds, std::uint64_t(2));
}

void BankTest::aChargesKeyIsNoRefundsKey()
{
    Desk desk;
    desk.charge("op-1");
    QCOMPARE(statusOf(desk.refund("op-1", "op-1")), 422);
    QCOMPARE(desk.bank->counts().refunds, std::uint64_t(0));
}

void BankTest::refundsObeyRulesOfTheirKind()
{
    Desk desk(R"({"rules":[{"when":{"kind":"refund","attempt":1},"do":"drop"},
                           {"when":{"kind":"charge","amount":"9"},"do":"decline"}]})");
    QCOMPARE(member(desk.charge("op-1", "10.00"), "status"), std::string("captured"));
    QCOMPARE(member(desk.charge("op-2", "9.00"), "status"), std::string("declined"));
    QVERIFY(std::holds_alternative<NoAnswer>(desk.refund("re-1", "op-1", "9.00")));
    const Outcome again = desk.refund("re-1", "op-1", "9.00");
    QCOMPARE(statusOf(again), 200);
    QCOMPARE(member(again, "status"), std::string("refunded"));
    QCOMPARE(desk.script("{}"), 200);
    QCOMPARE(statusOf(desk.refund("re-2", "op-1", "1.00", {{"Send-Before", rfc3339(wallClockUs() - 1'000)}})), 409);
    QCOMPARE(desk.bank->counts().late, std::uint64_t(1));
    QCOMPARE(desk.bank->counts().refunds, std::uint64_t(1));
}

void BankTest::badRefundsAreRefused_data()
{
    QTest::addColumn<QByteArray>("body");
    QTest::newRow("no original") << QByteArray(R"({"operationId":"r","amount":"1.00","currency":"TRY"})");
    QTest::newRow("a charge's member") << QByteArray(
        R"({"operationId":"r","originalOperationId":"op-1","merchantReference":"x","amount":"1.00","currency":"TRY"})");
    QTest::newRow("zero") << QByteArray(
        R"({"operationId":"r","originalOperationId":"op-1","amount":"0","currency":"TRY"})");
    QTest::newRow("negative") << QByteArray(
        R"({"operationId":"r","originalOperationId":"op-1","amount":"-1.00","currency":"TRY"})");
}

void BankTest::badRefundsAreRefused()
{
    QFETCH(QByteArray, body);
    Desk desk;
    desk.charge("op-1");
    QCOMPARE(statusOf(desk.send({"POST", "/refunds", {{"Idempotency-Key", "r"}}, body.toStdString()})), 400);
    QCOMPARE(statusOf(desk.get("/refunds/r")), 404);
    QCOMPARE(statusOf(desk.get("/refunds")), 405);
    QCOMPARE(statusOf(desk.send({"POST", "/settlement"})), 405);
}

void BankTest::settlementListsTheDaysBookings()
{
    Desk desk(R"({"idempotent":false,"rules":[{"when":{"amount":"2"},"do":"pending"},
                                              {"when":{"amount":"3"},"do":"decline"}]})");
    desk.charge("op-1", "1000.00");
    desk.charge("op-2", "2.00");
    desk.charge("op-3", "3.00");
    desk.charge("op-4", "0.125", {}, "KWD", "say \"a\", b");
    desk.charge("op-5", "500", {}, "JPY", "Ödeme 5");
    desk.charge("op-5", "500", {}, "JPY", "Ödeme 5");
    desk.refund("re-1", "op-1", "250.50");
    desk.refund("re-2", "op-1", "750.00"); // declined
    const auto ledger = parseJson(desk.text("/ledger"));
    const auto at = [&ledger](const char* list, std::size_t i) {
        return ledger->find(list)->items[i].find("bookedAt")->text + "\r\n";
    };
    const std::string day = at("charges", 0).substr(0, 10);
    const Outcome outcome = desk.get("/settlement?date=" + day);
    QCOMPARE(statusOf(outcome), 200);
    const auto& answered = std::get<Answered>(outcome);
    QCOMPARE(*answered.headers.find("Content-Type"), std::string("text/csv; charset=utf-8; header=present"));
    const std::string wanted = "type,provider_reference,operation_id,merchant_reference,amount,currency,booked_at\r\n"
                               "charge,BNK-0000000001,op-1,INV-1,1000.00,TRY,"
                               + at("charges", 0) + "charge,BNK-0000000004,op-4,\"say \"\"a\"\", b\",0.125,KWD,"
                               + at("charges", 1) + "charge,BNK-0000000005,op-5,Ödeme 5,500,JPY," + at("charges", 2)
                               + "charge,BNK-0000000006,op-5,Ödeme 5,500,JPY," + at("charges", 3)
                               + "refund,BNK-0000000007,re-1,INV-1,-250.50,TRY," + at("refunds", 0) + "trailer," + day
                               + ",2,,1000,JPY,\r\ntrailer," + day + ",1,,0.125,KWD,\r\ntrailer," + day
                               + ",2,,749.50,TRY,\r\n";
    QCOMPARE(answered.body, wanted);
    QCOMPARE(desk.text("/settlement?date=2001-02-28"),
             std::string("type,provider_reference,operation_id,merchant_reference,amount,currency,booked_at\r\n"
                         "trailer,2001-02-28,0,,,,\r\n"));
}

void BankTest::settlementCutsAtTheDaysEnds()
{
    BankBooks books;
    const std::int64_t at = books.take(chargeOf("op-1", 100), {}).bookedAtUs;
    const auto has = [&books](std::int64_t from, std::int64_t to) {
        return books.settlementCsv({"day", from, to})->find("op-1") != std::string::npos;
    };
    QVERIFY(has(at, at + 1));
    QVERIFY(!has(at - 1, at));
    QVERIFY(!has(at + 1, at + 2));
    const auto day = parseDay("2024-02-29");
    QCOMPARE(rfc3339(day->startUs), std::string("2024-02-29T00:00:00.000000Z"));
    QCOMPARE(rfc3339(day->endUs), std::string("2024-03-01T00:00:00.000000Z"));
    for (int i = 2; i <= 3; ++i)
        books.take(chargeOf("op-" + std::to_string(i), std::numeric_limits<std::int64_t>::max()), {});
    const auto beyond = books.settlementCsv({"day", at, std::numeric_limits<std::int64_t>::max()});
    QVERIFY(!beyond.ok() && beyond.error().code == ErrorCode::AmountOverflow);
}

void BankTest::settlementAsksForOneDay_data()
{
    QTest::addColumn<QByteArray>("target");
    for (const char* query : {"", "?date=", "?date=today", "?date=2026-02-30", "?date=2026-13-01", "?date=2026-3-5",
                              "?date=2026-03-05T00:00:00Z", "?date=2026-03-05&date=2026-03-06", "?day=2026-03-05",
                              "?date=2026-03-05&currency=TRY"})
        QTest::newRow(query) << QByteArray("/settlement") + query;
}

void BankTest::settlementAsksForOneDay()
{
    QFETCH(QByteArray, target);
    Desk desk;
    const Outcome refused = desk.get(target.toStdString());
    QCOMPARE(statusOf(refused), 400);
    QVERIFY(member(refused, "detail").find("YYYY-MM-DD") != std::string::npos);
}

TEKIL_TEST(BankTest)
#include "bank_test.moc"
