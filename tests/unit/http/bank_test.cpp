#include "core/base/clock.h"
#include "core/base/json.h"
#include "core/http/client.h"
#include "core/sandbox/bank.h"
#include "tests/support/test_main.h"

#include <QTest>
#include <future>

using namespace tekil;
using namespace tekil::http;
using namespace tekil::sandbox;

namespace {

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
    Outcome charge(const std::string& operation, const std::string& amount = "10.00", Headers headers = {})
    {
        headers.add("Idempotency-Key", operation);
        return send({"POST", "/charges", headers,
                     JsonWriter()
                         .member("operationId", operation)
                         .member("merchantReference", "INV-1")
                         .member("amount", amount)
                         .member("currency", "TRY")
                         .take()});
    }
    Outcome get(const std::string& path) { return send({"GET", path}); }

    Loop loop;
    std::unique_ptr<Bank> bank;
    std::unique_ptr<Client> client;
};

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

TEKIL_TEST(BankTest)
#include "bank_test.moc"
