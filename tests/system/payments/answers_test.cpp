// The answer table of the merchant API, against a real engine, a real bank and real sockets. After each test the
// independent bookkeeper and `tekild verify` judge the books.
#include "tests/support/engine_lab.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <future>
#include <memory>
#include <set>
#include <thread>

using namespace tekil::test;
using namespace std::chrono_literals;

class AnswersTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { m_lab = std::make_unique<EngineLab>(); }
    void cleanupTestCase() { m_lab.reset(); }
    void cleanup()
    {
        m_lab->script("{}");
        QCOMPARE(m_lab->judge(), std::string());
    }

    void aCompletedPaymentIsReplayedByteForByte();
    void otherFormsOfTheSamePayloadReplay();
    void quotedAndBareKeysAreOneKey();
    void keysThatDifferInCaseAreTwoPayments();
    void anotherPayloadUnderAUsedKeyIs422AndTellsNothingOfTheFirst();
    void everyMemberThatChangesMakesItAnotherPayload();
    void anotherPayloadWinsOverOneThatIsInFlight();
    void withoutAKeyNothingIsDone();
    void aSecondKeyForAPaidInvoiceIsRefusedAndNotBurned();
    void aDeclinedPaymentIsReplayedAndFreesItsInvoice();
    void insufficientFundsAreAnAnswerOfTheirOwnAndReplayed();
    void twoOfFourPaymentsFitIntoTwoThousand();
    void anAccountThatWasNotGrantedIsNotFoundAndBurnsNoKey();
    void aPaymentIsFoundByItsIdAndByItsKeyByItsMerchantOnly();
    void respondAsyncIsAnsweredAtOnceAndFoundLater();
    void aShortWaitEndsIn202AndTheKeyIsInFlight();
    void aRefusedRequestBurnsNoKey();
    void aMerchantOverItsRateIsToldToComeBack();
    void anAmountAboveTheMerchantsLimitIsRefused();
    void twoMerchantsMayUseOneKey();
    void parallelIdenticalRequestsChargeOnce_data();
    void parallelIdenticalRequestsChargeOnce();
    void currenciesKeepTheirOwnDecimals_data();
    void currenciesKeepTheirOwnDecimals();

private:
    std::unique_ptr<EngineLab> m_lab;
};

void AnswersTest::aCompletedPaymentIsReplayedByteForByte()
{
    const std::string body = R"({"invoiceId": 45982, "amount": 1000.00, "currency": "TRY"})";
    const std::string key = freshKey();
    const std::string account = "select available_minor || '/' || reserved_minor from tekil.account where account_id = "
                                + m_lab->account();
    const std::string before = m_lab->sql(account);
    const Reply first = m_lab->post(body, key);
    QCOMPARE(first.status, 201);
    QCOMPARE(first.header("Content-Type"), std::string("application/json"));
    QCOMPARE(first.header("Idempotent-Replayed"), std::string());
    const std::string id = first.member("operationId");
    QCOMPARE(first.header("Location"), "/payments/" + id);
    const std::string wanted = "{\"operationId\":\"" + id
                               + R"(","status":"Completed","invoiceId":45982,"amount":"1000.00","currency":"TRY",)"
                               + "\"providerReference\":\"" + first.member("providerReference") + "\",\"createdAt\":\""
                               + first.member("createdAt") + "\",\"completedAt\":\"" + first.member("completedAt")
                               + "\"}";
    QCOMPARE(first.body, wanted);
    QVERIFY(first.member("createdAt").ends_with("Z") && first.member("createdAt") <= first.member("completedAt"));
    for (int i = 0; i < 3; ++i) {
        const Reply again = m_lab->post(body, key);
        QCOMPARE(again.status, 201);
        QCOMPARE(again.body, first.body);
        QCOMPARE(again.header("Idempotent-Replayed"), std::string("true"));
    }
    QCOMPARE(m_lab->chargesOf(id), 1);
    const long long left = std::atoll(before.c_str()) - 100'000;
    QCOMPARE(m_lab->sql(account), std::to_string(left) + "/0");
}

// B12
void AnswersTest::otherFormsOfTheSamePayloadReplay()
{
    const std::string key = freshKey();
    const Reply first = m_lab->post(R"({"invoiceId":"B12","amount":1000,"currency":"TRY"})", key);
    QCOMPARE(first.status, 201);
    for (const char* body : {R"({"currency":"TRY","amount":1000,"invoiceId":"B12"})",
                             " {\n\"invoiceId\" : \"B12\",\t\"amount\": 1e3, \"currency\":\"TRY\"}",
                             R"({"invoiceId":"B12","amount":1000.00,"currency":"\u0054RY"})",
                             R"({"invoiceId":"B12","amount":"1000","currency":"TRY"})",
                             R"({"invoice\u0049d":"B\u00312","amount":"1000.00","currency":"TRY"})"}) {
        const Reply again = m_lab->post(body, key);
        QCOMPARE(again.status, 201);
        QCOMPARE(again.body, first.body);
    }
    QCOMPARE(m_lab->chargesOf(first.member("operationId")), 1);
}

// B01
void AnswersTest::quotedAndBareKeysAreOneKey()
{
    const std::string body = payment("10.00");
    const std::string key = freshKey();
    const Reply first = m_lab->post(body, "\"" + key + "\"");
    QCOMPARE(first.status, 201);
    const Reply bare = m_lab->post(body, key);
    QCOMPARE(bare.body, first.body);
    QCOMPARE(bare.header("Idempotent-Replayed"), std::string("true"));
    QCOMPARE(m_lab->post(body, "\"" + key + "\";a=1").problem(), std::string("key-invalid"));
    QCOMPARE(m_lab->chargesOf(first.member("operationId")), 1);
    QCOMPARE(m_lab->sql("select count(*) from tekil.idempotency_record where idempotency_key like '%" + key + "%'"),
             std::string("1"));
}

// B04
void AnswersTest::keysThatDifferInCaseAreTwoPayments()
{
    const Texts headers{"authorization: bearer " + m_lab->apiKey(), "CONTENT-TYPE: APPLICATION/JSON; charset=utf-8"};
    Texts lower = headers, upper = headers;
    lower.emplace_back("idempotency-key: Ab-i");
    upper.emplace_back("IDEMPOTENCY-KEY: aB-I");
    const Reply first = m_lab->send("POST", "/payments", lower, payment("10.00"));
    const Reply second = m_lab->send("POST", "/payments", upper, payment("11.00"));
    QCOMPARE(first.status, 201);
    QCOMPARE(second.status, 201);
    QVERIFY(first.member("operationId") != second.member("operationId"));
}

// B10
void AnswersTest::anotherPayloadUnderAUsedKeyIs422AndTellsNothingOfTheFirst()
{
    const std::string key = freshKey();
    const Reply first = m_lab->post(R"({"invoiceId":"B10","amount":1000.00,"currency":"TRY"})", key);
    QCOMPARE(first.status, 201);
    const Reply other = m_lab->post(R"({"invoiceId":"B10","amount":100000.00,"currency":"TRY"})", key);
    QCOMPARE(other.status, 422);
    QCOMPARE(other.problem(), std::string("payload-mismatch"));
    QCOMPARE(other.member("retry"), std::string("new-key"));
    QVERIFY(other.body.find(first.member("operationId")) == std::string::npos);
    QVERIFY(other.body.find("Completed") == std::string::npos);
    QCOMPARE(m_lab->get(first.header("Location")).body, first.body);
    QCOMPARE(m_lab->chargesOf(first.member("operationId")), 1);
}

// B11
void AnswersTest::everyMemberThatChangesMakesItAnotherPayload()
{
    const std::string other = m_lab->openAccount("TRY", "100.00");
    const std::string full = R"({"invoiceId":"B11","amount":"5.00","currency":"TRY","accountId":)" + m_lab->account()
                             + R"(,"customerId":"c1","paymentType":"sale","description":"d1","provider":"bank"})";
    const std::string key = freshKey();
    const Reply first = m_lab->post(full, key);
    QCOMPARE(first.status, 201);
    const std::pair<std::string, std::string> changes[] = {
        {"\"B11\"", "\"B12\""},
        {"\"5.00\"", "\"5.01\""},
        {"\"TRY\"", "\"EUR\""},
        {"\"accountId\":" + m_lab->account(), "\"accountId\":" + other},
        {"\"c1\"", "\"c2\""},
        {"\"sale\"", "\"fee\""},
        {"\"d1\"", "\"d2\""},
        {"\"bank\"", "\"bank2\""},
        {",\"paymentType\":\"sale\"", ""},
        {",\"description\":\"d1\"", ""},
        {",\"provider\":\"bank\"", ""},
        {",\"customerId\":\"c1\"", ""}};
    for (const auto& [from, to] : changes) {
        std::string changed = full;
        changed.replace(changed.find(from), from.size(), to);
        const Reply reply = m_lab->post(changed, key);
        QVERIFY2(reply.status == 422, (changed + " → " + reply.body).c_str());
    }
    QCOMPARE(m_lab->post(full, key).body, first.body);
}

void AnswersTest::anotherPayloadWinsOverOneThatIsInFlight()
{
    m_lab->script(R"({"rules":[{"when":{"amount":"21.00"},"do":"delay","ms":1500}]})");
    const std::string body = R"({"invoiceId":"slow","amount":"21.00","currency":"TRY"})";
    const std::string key = freshKey();
    const Reply first = m_lab->post(body, key, {"Prefer: respond-async"});
    QCOMPARE(first.status, 202);
    QCOMPARE(m_lab->post(R"({"invoiceId":"slow","amount":"22.00","currency":"TRY"})", key).status, 422);
    const Reply same = m_lab->post(body, key);
    QCOMPARE(same.status, 409);
    QCOMPARE(same.problem(), std::string("key-in-flight"));
    QCOMPARE(same.member("retry"), std::string("same-key"));
    QVERIFY(std::atoi(same.header("Retry-After").c_str()) >= 1);
    const std::string id = first.member("operationId");
    QVERIFY(m_lab->becomes("select status from tekil.payment where operation_id = '" + id + "'", "Completed"));
    const Reply replay = m_lab->post(body, key);
    QCOMPARE(replay.status, 201);
    QCOMPARE(replay.header("Idempotent-Replayed"), std::string("true"));
    QCOMPARE(replay.member("operationId"), id);
    QCOMPARE(m_lab->chargesOf(id), 1);
}

// B05
void AnswersTest::withoutAKeyNothingIsDone()
{
    const std::string body = payment("10.00");
    const auto rows = m_lab->count("idempotency_record");
    const auto requests = m_lab->bankCount("requests");
    for (int i = 0; i < 2; ++i) {
        const Reply reply = m_lab->send(
            "POST", "/payments", {"Authorization: Bearer " + m_lab->apiKey(), "Content-Type: application/json"}, body);
        QCOMPARE(reply.status, 400);
        QCOMPARE(reply.problem(), std::string("key-missing"));
        QVERIFY2(reply.header("Link").starts_with("<https://"), reply.head.c_str());
    }
    QCOMPARE(m_lab->count("idempotency_record"), rows);
    QCOMPARE(m_lab->bankCount("requests"), requests);
}

void AnswersTest::aSecondKeyForAPaidInvoiceIsRefusedAndNotBurned()
{
    const std::string body = payment("10.00");
    const Reply first = m_lab->post(body, freshKey());
    QCOMPARE(first.status, 201);
    const std::string key = freshKey();
    for (int i = 0; i < 2; ++i) {
        const Reply second = m_lab->post(body, key);
        QCOMPARE(second.status, 409);
        QCOMPARE(second.problem(), std::string("duplicate-operation"));
        QCOMPARE(second.member("retry"), std::string("never"));
        QCOMPARE(second.header("Location"), first.header("Location"));
        QCOMPARE(second.member("location"), first.header("Location"));
        QCOMPARE(m_lab->get(second.header("Location")).body, first.body);
    }
    const Reply other = m_lab->post(payment("10.00"), key); // the key is free for another operation
    QCOMPARE(other.status, 201);
    QVERIFY(other.member("operationId") != first.member("operationId"));
    QCOMPARE(m_lab->chargesOf(first.member("operationId")), 1);
}

void AnswersTest::aDeclinedPaymentIsReplayedAndFreesItsInvoice()
{
    m_lab->script(R"({"rules":[{"when":{"amount":"41.00"},"do":"decline","declineCode":"stolen_card"}]})");
    const std::string body = payment("41.00");
    const std::string key = freshKey();
    const Reply declined = m_lab->post(body, key);
    QCOMPARE(declined.status, 402);
    QCOMPARE(declined.member("status"), std::string("Failed"));
    QCOMPARE(declined.member("declineCode"), std::string("stolen_card"));
    m_lab->script("{}");
    const Reply again = m_lab->post(body, key);
    QCOMPARE(again.status, 402);
    QCOMPARE(again.body, declined.body);
    QCOMPARE(again.header("Idempotent-Replayed"), std::string("true"));
    const Reply another = m_lab->post(body, freshKey());
    QCOMPARE(another.status, 201);
    QCOMPARE(m_lab->chargesOf(declined.member("operationId")), 0);
    QCOMPARE(m_lab->chargesOf(another.member("operationId")), 1);
}

void AnswersTest::insufficientFundsAreAnAnswerOfTheirOwnAndReplayed()
{
    const std::string poor = m_lab->openAccount("TRY", "9.99");
    const std::string body = payment("10.00", "TRY", ",\"accountId\":" + poor);
    const std::string key = freshKey();
    const auto requests = m_lab->bankCount("requests");
    const Reply declined = m_lab->post(body, key);
    QCOMPARE(declined.status, 402);
    QCOMPARE(declined.member("declineCode"), std::string("insufficient_funds"));
    QCOMPARE(m_lab->bankCount("requests"), requests);
    m_lab->credit(poor, "0.01");
    QCOMPARE(m_lab->post(body, key).body, declined.body); // that key's answer stands
    QCOMPARE(m_lab->post(body, freshKey()).status, 201);
    QCOMPARE(m_lab->sql("select available_minor + reserved_minor from tekil.account where account_id = " + poor),
             std::string("0"));
}

void AnswersTest::twoOfFourPaymentsFitIntoTwoThousand()
{
    const std::string poor = m_lab->openAccount("TRY", "2000.00");
    std::vector<std::future<int>> running;
    for (int i = 0; i < 4; ++i)
        running.push_back(std::async(std::launch::async, [this, poor] {
            return m_lab->post(payment("1000.00", "TRY", ",\"accountId\":" + poor), freshKey()).status;
        }));
    std::multiset<int> statuses;
    for (auto& each : running)
        statuses.insert(each.get());
    QVERIFY(statuses == (std::multiset<int>{201, 201, 402, 402}));
    QCOMPARE(
        m_lab->sql("select available_minor || '/' || reserved_minor from tekil.account where account_id = " + poor),
        std::string("0/0"));
}

void AnswersTest::anAccountThatWasNotGrantedIsNotFoundAndBurnsNoKey()
{
    const std::string foreign = m_lab->admin({"account", "open", "--currency", "TRY"}, "accountId");
    m_lab->credit(foreign, "50.00");
    const std::string system = m_lab->sql("select account_id from tekil.account where kind = 'system' limit 1");
    const std::string collection = m_lab->sql(
        "select account_id from tekil.account where purpose = 'collection' limit 1");
    const std::string key = freshKey();
    for (const std::string& account : {foreign, system, collection, std::string("999999999")}) {
        const Reply reply = m_lab->post(payment("1.00", "TRY", ",\"accountId\":" + account), key);
        QCOMPARE(reply.status, 404);
        QCOMPARE(reply.problem(), std::string("not-found"));
    }
    QCOMPARE(m_lab->post(payment("1.00"), key).status, 201);
    QCOMPARE(m_lab->sql("select available_minor from tekil.account where account_id = " + foreign),
             std::string("5000"));
}

void AnswersTest::aPaymentIsFoundByItsIdAndByItsKeyByItsMerchantOnly()
{
    const std::string key = freshKey();
    const Reply paid = m_lab->post(payment("10.00"), key);
    QCOMPARE(paid.status, 201);
    for (const std::string& target :
         {paid.header("Location"), "/payments?idempotencyKey=" + key, "/payments?idempotencyKey=%22" + key + "%22"}) {
        const Reply found = m_lab->get(target);
        QCOMPARE(found.status, 200);
        QCOMPARE(found.body, paid.body);
    }
    const std::string stranger = m_lab->addMerchant("stranger", m_lab->account());
    for (const std::string& target : {paid.header("Location"), "/payments?idempotencyKey=" + key}) {
        const Reply hidden = m_lab->send("GET", target, {"Authorization: Bearer " + stranger});
        QCOMPARE(hidden.status, 404);
        QVERIFY(hidden.body.find(paid.member("providerReference")) == std::string::npos);
    }
    for (const char* target : {"/payments/00000000-0000-7000-8000-000000000000", "/payments/1",
                               "/payments?idempotencyKey=never-used", "/elsewhere"})
        QCOMPARE(m_lab->get(target).status, 404);
    QCOMPARE(m_lab->get("/payments").status, 400);
    const Reply deleted = m_lab->send("DELETE", paid.header("Location"), {"Authorization: Bearer " + m_lab->apiKey()});
    QCOMPARE(deleted.status, 405);
    QCOMPARE(deleted.header("Allow"), std::string("GET, HEAD"));
}

void AnswersTest::respondAsyncIsAnsweredAtOnceAndFoundLater()
{
    m_lab->script(R"({"rules":[{"when":{"amount":"31.00"},"do":"delay","ms":700}]})");
    const std::string key = freshKey();
    const Reply accepted = m_lab->post(payment("31.00"), key, {"Prefer: respond-async"});
    QCOMPARE(accepted.status, 202);
    QCOMPARE(accepted.member("status"), std::string("Processing"));
    const std::string location = accepted.header("Location");
    QCOMPARE(location, "/payments/" + accepted.member("operationId"));
    QCOMPARE(m_lab->get(location).member("status"), std::string("Processing"));
    QVERIFY(m_lab->becomes(
        "select status from tekil.payment where operation_id = '" + accepted.member("operationId") + "'", "Completed"));
    const Reply later = m_lab->get(location);
    QCOMPARE(later.status, 200);
    QCOMPARE(later.member("status"), std::string("Completed"));
    QCOMPARE(m_lab->get("/payments?idempotencyKey=" + key).body, later.body);
}

void AnswersTest::aShortWaitEndsIn202AndTheKeyIsInFlight()
{
    m_lab->script(R"({"rules":[{"when":{"amount":"32.00"},"do":"delay","ms":2500}]})");
    const std::string body = payment("32.00");
    const std::string key = freshKey();
    const Reply waited = m_lab->post(body, key, {"Prefer: wait=1"});
    QCOMPARE(waited.status, 202);
    QCOMPARE(waited.member("status"), std::string("Processing"));
    QCOMPARE(m_lab->post(body, key).status, 409);
    QVERIFY(m_lab->becomes(
        "select status from tekil.payment where operation_id = '" + waited.member("operationId") + "'", "Completed"));
    QCOMPARE(m_lab->post(body, key).status, 201);
}

// B19
void AnswersTest::aRefusedRequestBurnsNoKey()
{
    const std::string good = payment("10.00");
    const std::string key = freshKey();
    QCOMPARE(m_lab->post(R"({"invoiceId":"B19","amount":"10.00","currency":"XXX"})", key).status, 400);
    const Texts rest{"Content-Type: application/json", "Idempotency-Key: " + key};
    const auto as = [&rest](const char* line) {
        Texts headers = rest;
        headers.emplace_back(line);
        return headers;
    };
    const Reply nobody = m_lab->send("POST", "/payments", rest, good);
    QCOMPARE(nobody.status, 401);
    QCOMPARE(nobody.header("WWW-Authenticate"), std::string("Bearer"));
    QCOMPARE(m_lab->send("POST", "/payments", as("Authorization: Basic c2hvcDpzaG9w"), good).status, 401);
    QCOMPARE(m_lab->send("POST", "/payments", as("Authorization: Bearer"), good).status, 401);
    QCOMPARE(m_lab->send("POST", "/payments", as("Authorization: Bearer tk_wrong"), good).status, 403);
    for (const char* type :
         {"Content-Type: text/plain", "Content-Type: application/x-www-form-urlencoded", "X-No-Type: 1"}) {
        const Reply reply = m_lab->send(
            "POST", "/payments", {"Authorization: Bearer " + m_lab->apiKey(), "Idempotency-Key: " + key, type}, good);
        QCOMPARE(reply.status, 415);
        QCOMPARE(reply.problem(), std::string("unsupported-media-type"));
    }
    QCOMPARE(m_lab->post(payment("10.00", "EUR"), key).problem(),
             std::string("currency-invalid")); // the account is in TRY
    QCOMPARE(m_lab->post(payment("10.00", "TRY", R"(,"provider":"nobody")"), key).status, 400);
    const Reply first = m_lab->post(good, key);
    QCOMPARE(first.status, 201);
    QCOMPARE(first.header("Idempotent-Replayed"), std::string());
}

void AnswersTest::aMerchantOverItsRateIsToldToComeBack()
{
    const std::string apiKey = m_lab->addMerchant("slow-shop", m_lab->account(), {"--rate", "2"});
    const std::string key = freshKey();
    const std::string body = payment("10.00");
    const auto post = [&](const std::string& text) {
        return m_lab->send(
            "POST", "/payments",
            {"Authorization: Bearer " + apiKey, "Content-Type: application/json", "Idempotency-Key: " + key}, text);
    };
    Reply limited;
    for (int i = 0; i < 20 && limited.status != 429; ++i)
        limited = post("{}");
    QCOMPARE(limited.status, 429);
    QCOMPARE(limited.problem(), std::string("rate-limited"));
    QVERIFY(std::atoi(limited.header("Retry-After").c_str()) >= 1);
    std::this_thread::sleep_for(std::chrono::seconds(std::atoi(limited.header("Retry-After").c_str())));
    QCOMPARE(post(body).status, 201);
}

void AnswersTest::anAmountAboveTheMerchantsLimitIsRefused()
{
    const std::string apiKey = m_lab->addMerchant("small-shop", m_lab->account(), {"--limit", "100.00"});
    const auto post = [&](const std::string& body, const std::string& key) {
        return m_lab->send(
            "POST", "/payments",
            {"Authorization: Bearer " + apiKey, "Content-Type: application/json", "Idempotency-Key: " + key}, body);
    };
    const std::string key = freshKey();
    QCOMPARE(post(payment("100.01"), key).problem(), std::string("amount-invalid"));
    QCOMPARE(post(payment("100.00"), key).status, 201);
}

// B06
void AnswersTest::twoMerchantsMayUseOneKey()
{
    const std::string otherKey = m_lab->addMerchant("other-shop", m_lab->openAccount("TRY", "500.00"));
    const std::string foreign = m_lab->sql("select default_account_id from tekil.merchant where name = 'other-shop'");
    const std::string theirs = payment("77.00");
    const auto post = [&] {
        return m_lab->send(
            "POST", "/payments",
            {"Authorization: Bearer " + otherKey, "Content-Type: application/json", "Idempotency-Key: 1"}, theirs);
    };
    const Reply mine = m_lab->post(payment("66.00"), "1");
    const Reply first = post();
    const Reply again = post();
    QCOMPARE(mine.status, 201);
    QCOMPARE(first.status, 201);
    QCOMPARE(again.body, first.body);
    QCOMPARE(first.member("amount"), std::string("77.00"));
    QVERIFY(first.member("operationId") != mine.member("operationId"));
    QVERIFY(again.body.find(mine.member("providerReference")) == std::string::npos);
    QCOMPARE(m_lab->sql("select available_minor from tekil.account where account_id = " + foreign),
             std::string("42300"));
}

// B24
void AnswersTest::parallelIdenticalRequestsChargeOnce_data()
{
    QTest::addColumn<int>("times");
    for (const int times : {2, 10, 200})
        QTest::addRow("%d", times) << times;
}

void AnswersTest::parallelIdenticalRequestsChargeOnce()
{
    QFETCH(int, times);
    m_lab->script(R"({"rules":[{"when":{"amount":"24.00"},"do":"delay","ms":100}]})");
    const std::string body = payment("24.00");
    const std::string key = freshKey();
    const auto requests = m_lab->bankCount("requests");
    const auto payments = m_lab->count("payment");
    const auto entries = m_lab->count("ledger_entry");
    std::string id;
    for (const Reply& reply : m_lab->postInParallel(body, key, times)) {
        QVERIFY2(reply.status == 201 || reply.status == 409, (std::to_string(reply.status) + reply.body).c_str());
        if (reply.status == 409) {
            QCOMPARE(reply.problem(), std::string("key-in-flight"));
            continue;
        }
        QVERIFY(id.empty() || id == reply.member("operationId"));
        id = reply.member("operationId");
    }
    QVERIFY(!id.empty());
    QCOMPARE(m_lab->bankCount("requests"), requests + 1);
    QCOMPARE(m_lab->count("payment"), payments + 1);
    QCOMPARE(m_lab->count("ledger_entry"), entries + 2);
    QCOMPARE(m_lab->chargesOf(id), 1);
}

// B63
void AnswersTest::currenciesKeepTheirOwnDecimals_data()
{
    QTest::addColumn<QByteArray>("currency");
    QTest::addColumn<QByteArray>("amount"); // as the bank and the answer write it
    QTest::addColumn<QByteArray>("minor");
    QTest::addColumn<QByteArray>("refused");
    const auto row = [](const char* currency, const char* amount, const char* minor, const char* refused) {
        QTest::newRow(currency) << QByteArray(currency) << QByteArray(amount) << QByteArray(minor)
                                << QByteArray(refused);
    };
    row("JPY", "500", "500", "500.5");
    row("KRW", "500", "500", "0.01");
    row("CLP", "500", "500", "1e-1");
    row("ISK", "500", "500", "500.01");
    row("KWD", "42.500", "42500", "42.5005");
    row("EUR", "80.60", "8060", "80.601");
}

void AnswersTest::currenciesKeepTheirOwnDecimals()
{
    QFETCH(QByteArray, currency);
    QFETCH(QByteArray, amount);
    QFETCH(QByteArray, minor);
    QFETCH(QByteArray, refused);
    const std::string account = m_lab->openAccount(currency.toStdString(), "1000");
    const std::string from = ",\"accountId\":" + account;
    QCOMPARE(m_lab->post(payment(refused.toStdString(), currency.toStdString(), from), freshKey()).problem(),
             std::string("amount-invalid"));
    const Reply paid = m_lab->post(payment(amount.toStdString(), currency.toStdString(), from), freshKey());
    QCOMPARE(paid.status, 201);
    QCOMPARE(paid.member("amount"), amount.toStdString());
    const std::string id = paid.member("operationId");
    QCOMPARE(m_lab->sql("select amount_minor from tekil.ledger_entry where line = 2 and transaction_id = '" + id + "'"),
             minor.toStdString());
    const auto charges = m_lab->charges();
    const auto booked = std::find_if(charges.begin(), charges.end(),
                                     [&id](const BankCharge& charge) { return charge.operationId == id; });
    QVERIFY(booked != charges.end());
    QCOMPARE(booked->amount, amount.toStdString());
}

TEKIL_TEST(AnswersTest)
#include "answers_test.moc"
