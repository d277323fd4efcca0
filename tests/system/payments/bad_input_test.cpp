// Bad input of every kind: a clear problem+json, no row anywhere, no word to the bank.
#include "tests/support/engine_lab.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <memory>

using namespace tekil::test;

class BadInputTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { m_lab = std::make_unique<EngineLab>(); }
    void cleanupTestCase()
    {
        QCOMPARE(m_lab->judge(), std::string());
        m_lab.reset();
    }

    void aBadBodyStoresNothing_data();
    void aBadBodyStoresNothing();
    void aBadKeyStoresNothing_data();
    void aBadKeyStoresNothing();
    void twoKeyLinesStoreNothing();
    void tooMuchIsRefusedAndStoresNothing();

private:
    // Everything that a request could leave behind.
    std::string traces() const
    {
        return m_lab->sql(
                   "select (select count(*) from tekil.idempotency_record) || ' ' || (select count(*) from "
                   "tekil.payment) || ' ' || "
                   "(select count(*) from tekil.business_identity) || ' ' || (select count(*) from "
                   "tekil.outbox_message) || ' ' || "
                   "(select count(*) from tekil.key_event) || ' ' || (select sum(available_minor) from tekil.account)")
               + " " + std::to_string(m_lab->bankCount("requests"));
    }

    std::unique_ptr<EngineLab> m_lab;
};

void BadInputTest::aBadBodyStoresNothing_data()
{
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<QByteArray>("problem");
    int count = 0;
    const auto row = [&count](const QByteArray& body, const char* problem = "request-invalid") {
        QTest::addRow("%d %s", ++count, body.left(70).constData()) << body << QByteArray(problem);
    };
    const auto amount = [&row](const char* value) {
        row(QByteArray("{\"invoiceId\":1,\"amount\":") + value + ",\"currency\":\"TRY\"}", "amount-invalid");
    };
    for (const char* body : {"", "{", "[]", "null", "7", "\"x\"", "{}", "{\"invoiceId\":1}", "not JSON", "{}{}"})
        row(body);
    for (const char* value :
         {"1.005", "-1", "0", "9223372036854775808", "1e400", "10000000000000.01", "\"1,00\"", "\"\"", "\"abc\""})
        amount(value);
    row(R"({"amount":1,"amount":100000,"invoiceId":1,"currency":"TRY"})"); // B16
    row(R"({"amount":1,"invoiceId":1,"currency":"TRY","description":{"a":1,"a":2}})");
    row(R"({"amount":1,"invoiceId":1,"currency":"zzz"})", "currency-invalid");
    row(R"({"amount":1,"invoiceId":1,"currency":"try"})", "currency-invalid");
    row(R"({"amount":1,"invoiceId":1,"currency":"TRY","colour":"red"})");
    row(R"({"amount":1,"invoiceId":1.5,"currency":"TRY"})");
    row(R"({"amount":1,"invoiceId":"a\u0000b","currency":"TRY"})");
    row(R"({"amount":1,"invoiceId":"\ud800","currency":"TRY"})");
    row(R"({"amount":true,"invoiceId":1,"currency":"TRY"})");
    row(R"({"amount":1,"invoiceId":1,"currency":"TRY","accountId":"101"})");
    row(R"({"amount":1,"invoiceId":1,"currency":"TRY","paymentType":"Sale"})");
    row("{\"amount\":1,\"invoiceId\":\"\xFF\",\"currency\":\"TRY\"}");
    row("{\"amount\":1,\"invoiceId\":\"" + QByteArray(65, 'x') + "\",\"currency\":\"TRY\"}");
    row(QByteArray(20'000, '['));
}

void BadInputTest::aBadBodyStoresNothing()
{
    QFETCH(QByteArray, body);
    QFETCH(QByteArray, problem);
    const std::string before = traces();
    const Reply reply = m_lab->post(std::string_view(body.constData(), static_cast<std::size_t>(body.size())),
                                    freshKey());
    QVERIFY2(reply.status == 400, reply.head.c_str());
    QCOMPARE(reply.problem(), problem.toStdString());
    QCOMPARE(reply.member("retry"), std::string("same-key"));
    QVERIFY(!reply.member("detail").empty());
    QCOMPARE(traces(), before);
}

// B03
void BadInputTest::aBadKeyStoresNothing_data()
{
    QTest::addColumn<QByteArray>("key");
    for (const QByteArray& key : {QByteArray(""), QByteArray("\"\""), QByteArray(256, 'k'), QByteArray("\"open"),
                                  QByteArray("K\xE2\x80\xA6"), QByteArray("a,b"), QByteArray("\"a\", \"b\""),
                                  QByteArray("\"a\";p=1"), QByteArray("\"a\\nb\""), QByteArray("a\tb")})
        QTest::addRow("'%s'", key.left(20).constData()) << key;
}

void BadInputTest::aBadKeyStoresNothing()
{
    QFETCH(QByteArray, key);
    const std::string before = traces();
    const Reply reply = m_lab->post(payment("10.00"), key.toStdString());
    QCOMPARE(reply.status, 400);
    QCOMPARE(reply.problem(), std::string("key-invalid"));
    QCOMPARE(traces(), before);
}

void BadInputTest::twoKeyLinesStoreNothing()
{
    const std::string before = traces();
    const Reply reply = m_lab->post(payment("10.00"), "same", {"Idempotency-Key: same"});
    QCOMPARE(reply.status, 400);
    QCOMPARE(reply.problem(), std::string("key-invalid"));
    QCOMPARE(traces(), before);
}

void BadInputTest::tooMuchIsRefusedAndStoresNothing()
{
    const std::string before = traces();
    QCOMPARE(m_lab->post(std::string(65 * 1024, ' ') + payment("10.00"), freshKey()).status, 413);
    QCOMPARE(m_lab->post(payment("10.00"), freshKey(), {"X-Long: " + std::string(17 * 1024, 'x')}).status, 431);
    QCOMPARE(traces(), before);
    const std::string padded = std::string(60 * 1024, ' ') + payment("10.00");
    QCOMPARE(m_lab->post(padded, std::string(255, 'k')).status, 201);
}

TEKIL_TEST(BadInputTest)
#include "bad_input_test.moc"
