// B66, B68: under a Turkish locale (a comma for decimals, a dotless i) everything has the same bytes as under C.
#include "tests/support/engine_lab.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <memory>

using namespace tekil::test;

class LocaleTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_lab = std::make_unique<EngineLab>(LabOptions{.environment = {"LC_ALL=tr_TR.UTF-8", "LANG=tr_TR.UTF-8"}});
    }
    void cleanupTestCase() { m_lab.reset(); }
    void cleanup() { QCOMPARE(m_lab->judge(), std::string()); }

    void amountsKeepTheirPointFromRequestToLedger();
    void codesAndHeadersWithAnIAreWhatTheyAre_data();
    void codesAndHeadersWithAnIAreWhatTheyAre();
    void statesAndOptionsAreRead();

private:
    std::unique_ptr<EngineLab> m_lab;
};

void LocaleTest::amountsKeepTheirPointFromRequestToLedger()
{
    for (const char* form : {"12.34", "\"12.34\"", "1234e-2"}) {
        const Reply paid = m_lab->post(payment(form), freshKey());
        QCOMPARE(paid.status, 201);
        QCOMPARE(paid.member("amount"), std::string("12.34"));
        const std::string id = paid.member("operationId");
        QCOMPARE(
            m_lab->sql("select amount_minor from tekil.ledger_entry where line = 2 and transaction_id = '" + id + "'"),
            std::string("1234"));
        QCOMPARE(m_lab->charges().back().amount, std::string("12.34"));
    }
    QCOMPARE(m_lab->post(payment("\"12,34\""), freshKey()).problem(), std::string("amount-invalid"));
}

void LocaleTest::codesAndHeadersWithAnIAreWhatTheyAre_data()
{
    QTest::addColumn<QByteArray>("currency");
    for (const char* currency : {"INR", "IDR", "ILS", "ISK", "IQD", "BIF", "GIP", "NIO"})
        QTest::newRow(currency) << QByteArray(currency);
}

void LocaleTest::codesAndHeadersWithAnIAreWhatTheyAre()
{
    QFETCH(QByteArray, currency);
    const std::string account = m_lab->openAccount(currency.toStdString(), "100");
    const std::string from = ",\"accountId\":" + account;
    const auto post = [this](const std::string& body, const char* type) {
        return m_lab->send("POST", "/payments",
                           {"AUTHORIZATION: BEARER " + m_lab->apiKey(), std::string("content-type: ") + type,
                            "idempotency-key: " + freshKey()},
                           body);
    };
    const Reply paid = post(payment("7", currency.toStdString(), from), "APPLICATION/JSON");
    QCOMPARE(paid.status, 201);
    QCOMPARE(paid.member("currency"), currency.toStdString());
    QCOMPARE(paid.member("status"), std::string("Completed"));
    const Reply lower = post(payment("7", currency.toLower().toStdString(), from), "application/json");
    QCOMPARE(lower.problem(), std::string("currency-invalid"));
}

void LocaleTest::statesAndOptionsAreRead()
{
    m_lab->script(R"({"rules":[{"when":{"amount":"41.00"},"do":"decline","declineCode":"INVALID_ID"}]})");
    const Reply declined = m_lab->post(payment("41.00"), freshKey());
    m_lab->script("{}");
    QCOMPARE(declined.status, 402);
    QCOMPARE(declined.member("declineCode"), std::string("INVALID_ID"));
    std::string errors;
    QCOMPARE(m_lab->tekild({"admin", "account", "open", "--currency", "inr"}, &errors).exitCode, 2);
    QVERIFY2(errors.find("--currency") != std::string::npos, errors.c_str());
    QVERIFY(m_lab->send("GET", "/metrics", {}, {}, m_lab->engine().adminPort()).body.find("tekil_database_up 1\n")
            != std::string::npos);
}

TEKIL_TEST(LocaleTest)
#include "locale_test.moc"
