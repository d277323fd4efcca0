// The door of a real engine: HTTPS with its certificate changed while it runs, overload that burns no key, limits by
// currency, methods and media types, and an endpoint that is not there.
#include "tests/support/engine_lab.h"
#include "tests/support/test_main.h"
#include "tests/support/tls_client.h"

#include <QDeadlineTimer>
#include <QTest>

#include <csignal>
#include <fstream>
#include <memory>

using namespace tekil::test;
using namespace std::chrono_literals;

class DoorTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { m_lab = std::make_unique<EngineLab>(); }
    void cleanupTestCase() { m_lab.reset(); }
    void cleanup()
    {
        m_lab->script("{}");
        QCOMPARE(m_lab->judge(), std::string());
    }

    void httpsIsServedAndItsCertificateReadAgain();
    void aBadCertificateIsNamedInOneLine();
    void whatIsTooMuchIsRefusedBeforeTheClaimAndReplaysGoOn();
    void limitsAreInEachCurrencysOwnUnits_data();
    void limitsAreInEachCurrencysOwnUnits();
    void aRefusedRateBurnsNoKey();
    void otherMediaTypesAreRefusedAndBurnNoKey();
    void otherMethodsAreToldWhichAreAllowed_data();
    void otherMethodsAreToldWhichAreAllowed();
    void aKeyIsNeverReplayedOnAnotherEndpoint();
    void aPreferenceIsReadInAnyForm();
    void aNumberThatDoesNotFitIsAnError();

private:
    std::string path(const char* name) const { return (m_lab->directory() / name).string(); }
    Texts headersOf(const std::string& apiKey, const std::string& key) const
    {
        return {"Authorization: Bearer " + apiKey, "Content-Type: application/json", "Idempotency-Key: " + key};
    }
    std::string recordsOf(const std::string& key) const
    {
        return m_lab->sql("select count(*) from tekil.idempotency_record where idempotency_key = '" + key + "'");
    }

    std::unique_ptr<EngineLab> m_lab;
};

void DoorTest::httpsIsServedAndItsCertificateReadAgain()
{
    writeCertificate(path("cert.pem"), path("key.pem"), "first");
    const auto engine = m_lab->startAnother({"--tls-certificate", path("cert.pem"), "--tls-key", path("key.pem")});
    QVERIFY(engine != nullptr);
    const std::string body = payment("10.00");
    const std::string request = "POST /payments HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer " + m_lab->apiKey()
                                + "\r\nContent-Type: application/json\r\nIdempotency-Key: " + freshKey()
                                + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    TlsClient client(engine->port(), TLS1_3_VERSION);
    QVERIFY(client.isOpen());
    QCOMPARE(client.peer(), std::string("first"));
    client.send(request);
    QCOMPARE(statusOf(client.receive("completedAt")), 201);
    QVERIFY(!TlsClient(engine->port(), TLS1_1_VERSION).isOpen());
    const Reply plain = m_lab->send("GET", "/openapi.json", {}, {}, engine->port());
    QCOMPARE(plain.status, 400);

    writeCertificate(path("cert.pem"), path("key.pem"), "second");
    engine->process().send(SIGHUP);
    QTRY_COMPARE_WITH_TIMEOUT(TlsClient(engine->port(), TLS1_2_VERSION).peer(), std::string("second"), 20'000);
    std::ofstream(path("cert.pem")) << "nothing";
    engine->process().send(SIGHUP);
    QTRY_VERIFY_WITH_TIMEOUT(engine->log().find(path("cert.pem")) != std::string::npos, 20'000);
    QCOMPARE(TlsClient(engine->port(), TLS1_2_VERSION).peer(), std::string("second"));
    client.send(request); // the connection of before goes on, and the key has its answer
    QVERIFY(client.receive("completedAt").find("Idempotent-Replayed: true") != std::string::npos);
    QVERIFY(engine->terminate() == 0);
    client.receive({});
    QVERIFY(client.sawCloseNotify());
}

void DoorTest::aBadCertificateIsNamedInOneLine()
{
    writeCertificate(path("good.pem"), path("good-key.pem"), "good");
    writeCertificate(path("other.pem"), path("other-key.pem"), "other");
    const auto whyNot = [this](const Texts& arguments, int exitCode = 1) {
        Texts all{"run", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"};
        all.insert(all.end(), arguments.begin(), arguments.end());
        std::string errors;
        const Ended ended = m_lab->tekild(all, &errors);
        return ended.exitCode == exitCode && ended.output.empty() ? errors : "it started";
    };
    for (const auto& [certificate, key, named] :
         {std::tuple("none.pem", "good-key.pem", "none.pem"), std::tuple("good.pem", "none.pem", "none.pem"),
          std::tuple("good.pem", "other-key.pem", "other-key.pem"),
          std::tuple("good-key.pem", "good-key.pem", "good-key.pem")}) {
        const std::string why = whyNot({"--tls-certificate", path(certificate), "--tls-key", path(key)});
        QVERIFY2(why.find(path(named)) != std::string::npos, why.c_str());
        QVERIFY2(why.find('\n') == why.size() - 1, why.c_str());
    }
    const std::string half = whyNot({"--tls-certificate", path("good.pem")}, 2);
    QVERIFY2(half.find("--tls-key") != std::string::npos, half.c_str());
}

// B19 for 503: what is refused for too much work leaves nothing, and runs when it comes again.
void DoorTest::whatIsTooMuchIsRefusedBeforeTheClaimAndReplaysGoOn()
{
    std::ofstream(path("tiny.toml")) << "max_in_flight = 2\n";
    const auto engine = m_lab->startAnother({"--config", path("tiny.toml")});
    QVERIFY(engine != nullptr);
    const auto post = [&](const std::string& body, const std::string& key, const Texts& more = {}) {
        Texts headers = headersOf(m_lab->apiKey(), key);
        headers.insert(headers.end(), more.begin(), more.end());
        return m_lab->send("POST", "/payments", headers, body, engine->port());
    };
    const std::string paidKey = freshKey();
    const std::string paidBody = payment("12.00");
    const Reply paid = post(paidBody, paidKey);
    QCOMPARE(paid.status, 201);
    m_lab->script(R"({"rules":[{"when":{"amount":"13.00"},"do":"delay","ms":4000}]})");
    const std::string heldKey = freshKey();
    const std::string heldBody = payment("13.00");
    QCOMPARE(post(heldBody, heldKey, {"Prefer: respond-async"}).status, 202);
    QCOMPARE(post(payment("13.00"), freshKey(), {"Prefer: respond-async"}).status, 202);

    const std::string lateKey = freshKey();
    const std::string lateBody = payment("14.00");
    Reply refused;
    for (int i = 0; i < 5; ++i) {
        refused = post(lateBody, lateKey);
        QCOMPARE(refused.status, 503);
        QCOMPARE(refused.problem(), std::string("overloaded"));
        QCOMPARE(refused.member("retry"), std::string("same-key"));
        QVERIFY(std::atoi(refused.header("Retry-After").c_str()) >= 1);
        QCOMPARE(recordsOf(lateKey), std::string("0"));
    }
    // What is known already is told all the same.
    const Reply again = post(paidBody, paidKey);
    QCOMPARE(again.status, 201);
    QCOMPARE(again.body, paid.body);
    QCOMPARE(again.header("Idempotent-Replayed"), std::string("true"));
    QCOMPARE(post(payment("12.00"), paidKey).status, 422);
    QCOMPARE(post(heldBody, heldKey).problem(), std::string("key-in-flight"));
    QCOMPARE(m_lab
                 ->send("GET", "/payments/" + paid.member("operationId"), {"Authorization: Bearer " + m_lab->apiKey()},
                        {}, engine->port())
                 .status,
             200);
    QVERIFY(m_lab->becomes("select count(*) from tekil.payment where status = 'Processing'", "0"));
    Reply later;
    const QDeadlineTimer end(20'000);
    do
        later = post(lateBody, lateKey);
    while (later.status == 503 && !end.hasExpired());
    QCOMPARE(later.status, 201);
    QCOMPARE(later.header("Idempotent-Replayed"), std::string());
    QCOMPARE(m_lab->chargesOf(later.member("operationId")), 1);
    QVERIFY(engine->terminate() == 0);
}

void DoorTest::limitsAreInEachCurrencysOwnUnits_data()
{
    QTest::addColumn<QByteArray>("currency");
    QTest::addColumn<QByteArray>("limit");
    QTest::addColumn<QByteArray>("above"); // by one minor unit
    QTest::newRow("JPY") << QByteArray("JPY") << QByteArray("500") << QByteArray("501");
    QTest::newRow("TRY") << QByteArray("TRY") << QByteArray("500.00") << QByteArray("500.01");
    QTest::newRow("KWD") << QByteArray("KWD") << QByteArray("500.000") << QByteArray("500.001");
}

void DoorTest::limitsAreInEachCurrencysOwnUnits()
{
    QFETCH(QByteArray, currency);
    QFETCH(QByteArray, limit);
    QFETCH(QByteArray, above);
    const std::string code = currency.toStdString();
    const std::string account = m_lab->openAccount(code, "10000");
    const std::string apiKey = m_lab->addMerchant("limited-" + currency.toLower().toStdString(), account,
                                                  {"--limit", "500"});
    const std::string key = freshKey();
    const auto post = [&](const QByteArray& amount) {
        return m_lab->send("POST", "/payments", headersOf(apiKey, key), payment(amount.toStdString(), code));
    };
    const Reply refused = post(above);
    QCOMPARE(refused.status, 400);
    QCOMPARE(refused.problem(), std::string("amount-invalid"));
    QCOMPARE(recordsOf(key), std::string("0"));
    const Reply paid = post(limit);
    QCOMPARE(paid.status, 201);
    QCOMPARE(paid.member("amount"), limit.toStdString());
}

// B19
void DoorTest::aRefusedRateBurnsNoKey()
{
    const std::string apiKey = m_lab->addMerchant("rated-shop", m_lab->account(), {"--rate", "1"});
    const std::string key = freshKey();
    const std::string body = payment("10.00");
    Reply reply;
    for (int i = 0; i < 50 && reply.status != 429; ++i) // the first one may run
        reply = m_lab->send("POST", "/payments", headersOf(apiKey, freshKey()), payment("1.00"));
    QCOMPARE(reply.status, 429);
    QCOMPARE(reply.header("Retry-After"), std::string("1")); // one a second: the next one is less than a second away
    QCOMPARE(reply.member("retry"), std::string("same-key"));
    for (int i = 0; i < 20 && (reply.status == 429 || i == 0); ++i) {
        reply = m_lab->send("POST", "/payments", headersOf(apiKey, key), body);
        if (reply.status == 429) {
            QCOMPARE(recordsOf(key), std::string("0"));
            QTest::qSleep(1000);
        }
    }
    QCOMPARE(reply.status, 201);
    QCOMPARE(reply.header("Idempotent-Replayed"), std::string());
}

void DoorTest::otherMediaTypesAreRefusedAndBurnNoKey()
{
    const std::string key = freshKey();
    const std::string body = payment("10.00");
    const std::string authorization = "Authorization: Bearer " + m_lab->apiKey();
    for (const Texts& headers :
         {Texts{"Content-Type: application/json; charset=iso-8859-9"},
          Texts{"Content-Type: application/json", "Content-Encoding: gzip"}, Texts{"Content-Type: application/xml"},
          Texts{"Content-Type: application/json", "Content-Type: application/json"}}) {
        Texts all = headers;
        all.push_back(authorization);
        all.push_back("Idempotency-Key: " + key);
        const Reply reply = m_lab->send("POST", "/payments", all, body);
        QCOMPARE(reply.status, 415);
        QCOMPARE(reply.problem(), std::string("unsupported-media-type"));
    }
    QCOMPARE(recordsOf(key), std::string("0"));
    const Reply good = m_lab->send("POST", "/payments",
                                   {authorization, "Idempotency-Key: " + key, "Content-Encoding: identity",
                                    "Content-Type: application/json; charset=\"UTF-8\""},
                                   body);
    QCOMPARE(good.status, 201);
}

void DoorTest::otherMethodsAreToldWhichAreAllowed_data()
{
    QTest::addColumn<QByteArray>("method");
    for (const char* method : {"PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW", "get"})
        QTest::newRow(method) << QByteArray(method);
}

void DoorTest::otherMethodsAreToldWhichAreAllowed()
{
    QFETCH(QByteArray, method);
    const std::string authorization = "Authorization: Bearer " + m_lab->apiKey();
    const Reply collection = m_lab->send(method.toStdString(), "/payments", {authorization});
    QCOMPARE(collection.status, 405);
    QCOMPARE(collection.problem(), std::string("method-not-allowed"));
    QCOMPARE(collection.header("Allow"), std::string("GET, HEAD, POST"));
    const Reply item = m_lab->send(method.toStdString(), "/payments/" + freshKey(), {authorization});
    QCOMPARE(item.status, 405);
    QCOMPARE(item.header("Allow"), std::string("GET, HEAD"));
}

// B07
void DoorTest::aKeyIsNeverReplayedOnAnotherEndpoint()
{
    const std::string key = freshKey();
    const std::string body = payment("19.00");
    const Reply paid = m_lab->post(body, key);
    QCOMPARE(paid.status, 201);
    const std::string item = "/payments/" + paid.member("operationId");
    for (const std::string& target : {item + "/refunds", item + "/refunds/", std::string("/refunds"), item}) {
        for (const std::string& sent : {body, std::string(R"({"amount":"19.00"})")}) {
            const Reply other = m_lab->send("POST", target, headersOf(m_lab->apiKey(), key), sent);
            QVERIFY2(other.status == 404 || other.status == 405, other.head.c_str());
            QVERIFY(other.body.find(paid.member("providerReference")) == std::string::npos);
            QCOMPARE(other.header("Idempotent-Replayed"), std::string());
        }
    }
    QCOMPARE(recordsOf(key), std::string("1"));
    QCOMPARE(m_lab->chargesOf(paid.member("operationId")), 1);
    QCOMPARE(m_lab->post(body, key).body, paid.body);
}

void DoorTest::aPreferenceIsReadInAnyForm()
{
    m_lab->script(R"({"rules":[{"when":{"amount":"33.00"},"do":"delay","ms":1500}]})");
    // Each waits for less than the bank takes, or not at all.
    for (const Texts& lines : {Texts{"Prefer: respond-async"}, Texts{"Prefer: wait=\"0\""},
                               Texts{"PREFER: foo=\"a, wait=9\", Respond-Async"}, Texts{"Prefer: wait=0, wait=20"},
                               Texts{"Prefer: return=minimal", "Prefer: respond-async, wait=0"}}) {
        const Reply reply = m_lab->post(payment("33.00"), freshKey(), lines);
        QCOMPARE(reply.status, 202);
    }
    // And these for longer.
    for (const Texts& lines :
         {Texts{"Prefer: respond-async, wait=20"}, Texts{"Prefer: wait=\"20\"; x=y", "Prefer: respond-async"}})
        QCOMPARE(m_lab->post(payment("33.00"), freshKey(), lines).status, 201);
    QVERIFY(m_lab->becomes("select count(*) from tekil.payment where status = 'Processing'", "0"));
}

void DoorTest::aNumberThatDoesNotFitIsAnError()
{
    for (const char* number : {"9223372036854775808", "99999999999999999999", "0", "-1", "1.5", "1e3", "x"}) {
        const std::string text = number;
        for (const Texts& arguments :
             {Texts{"admin", "account", "credit", "--account=" + text, "--amount", "1.00", "--id", freshKey()},
              Texts{"admin", "merchant", "add", "--name", "n", "--default-account=" + text, "--provider", "bank"},
              Texts{"admin", "merchant", "grant", "--name", "shop", "--account=" + text},
              Texts{"admin", "merchant", "add", "--name", "n", "--default-account", "1", "--provider", "bank",
                    "--rate=" + text}}) {
            std::string errors;
            QCOMPARE(m_lab->tekild(arguments, &errors).exitCode, 2);
            QVERIFY2(errors.find(text) != std::string::npos, errors.c_str());
        }
    }
}

TEKIL_TEST(DoorTest)
#include "door_test.moc"
