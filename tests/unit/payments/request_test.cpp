// A merchant's request: what is read, what is refused by the member's name, and what its fingerprint depends on.
#include "core/payments/request.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <clocale>
#include <set>

using namespace tekil;
using payments::canonicalHash;
using payments::PaymentRequest;
using payments::readPaymentRequest;

namespace {

std::string hashOf(std::string_view body)
{
    const auto request = readPaymentRequest(body);
    return request ? hex(canonicalHash(*request)) : "refused: " + request.error().detail;
}

constexpr std::string_view kPlain = R"({"invoiceId":45982,"amount":1000.00,"currency":"TRY"})";
// Without raw strings, in which moc takes a backslash before a quotation mark for an escape.
constexpr std::string_view kFull
    = "{\"invoiceId\":45982,\"amount\":1000.00,\"currency\":\"TRY\",\"accountId\":102,\"customerId\":\"müşteri-7\","
      "\"paymentType\":\"subscription\",\"description\":\"Mart \\\"kira\\\"\",\"provider\":\"bank\"}";

} // namespace

// Every test runs under the C locale and under the Turkish one.
class RequestTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data()
    {
        QTest::addColumn<QByteArray>("locale");
        QTest::newRow("C") << QByteArray("C");
        QTest::newRow("tr_TR.UTF-8") << QByteArray("tr_TR.UTF-8");
    }
    void init()
    {
        QFETCH_GLOBAL(QByteArray, locale);
        QVERIFY2(std::setlocale(LC_ALL, locale.constData()) != nullptr, "generate the locale tr_TR.UTF-8");
    }
    void cleanup() { std::setlocale(LC_ALL, "C"); }

    void amountsAreReadExactly_data();
    void amountsAreReadExactly();
    void everyMemberIsReadAndAnAbsentOneStaysAbsent();
    void badInputIsRefusedAndTheMemberNamed_data();
    void badInputIsRefusedAndTheMemberNamed();
    void theFingerprintNeverChanges();
    void equalFormsHaveOneFingerprint_data();
    void equalFormsHaveOneFingerprint();
    void everyMemberChangesTheFingerprint();
    void textsDoNotFlowFromOneMemberIntoAnother();
};

void RequestTest::amountsAreReadExactly_data()
{
    QTest::addColumn<QByteArray>("amount");
    QTest::addColumn<QByteArray>("currency");
    QTest::addColumn<qint64>("minor");
    const auto row = [](const char* amount, const char* currency, qint64 minor) {
        QTest::addRow("%s %s", amount, currency) << QByteArray(amount) << QByteArray(currency) << minor;
    };
    row("1000.00", "TRY", 100'000);
    row("\"1000.00\"", "TRY", 100'000);
    row("1e3", "TRY", 100'000);
    row("0.01", "TRY", 1);
    row("80.6", "TRY", 8'060);
    row("1.15", "TRY", 115);
    row("3000000000", "TRY", 300'000'000'000);
    row("9007199254740.93", "TRY", 900'719'925'474'093);
    row("10000000000000", "TRY", 1'000'000'000'000'000); // the most there is
    row("500", "JPY", 500);
    row("500", "KRW", 500);
    row("500", "CLP", 500);
    row("500", "ISK", 500);
    row("500.0", "JPY", 500);
    row("42.5", "KWD", 42'500);
    row("42.505", "KWD", 42'505);
    row("12.34", "INR", 1'234);
    row("12.34", "IDR", 1'234);
}

void RequestTest::amountsAreReadExactly()
{
    QFETCH(QByteArray, amount);
    QFETCH(QByteArray, currency);
    QFETCH(qint64, minor);
    const auto request = readPaymentRequest("{\"invoiceId\":1,\"amount\":" + amount.toStdString() + ",\"currency\":\""
                                            + currency.toStdString() + "\"}");
    QVERIFY2(request.ok(), request ? "" : request.error().detail.c_str());
    QCOMPARE(request->amount.minor(), minor);
    QCOMPARE(request->amount.currency().code(), std::string_view(currency.constData()));
}

void RequestTest::everyMemberIsReadAndAnAbsentOneStaysAbsent()
{
    const PaymentRequest full = readPaymentRequest(kFull).value();
    QCOMPARE(full.invoiceId, std::string("45982"));
    QVERIFY(full.invoiceIsNumber);
    QVERIFY(full.accountId == 102);
    QVERIFY(full.customerId == "müşteri-7");
    QVERIFY(full.paymentType == "subscription");
    QVERIFY(full.description == "Mart \"kira\"");
    QVERIFY(full.provider == "bank");
    const PaymentRequest plain = readPaymentRequest(kPlain).value();
    QVERIFY(!plain.accountId && !plain.customerId && !plain.paymentType && !plain.description && !plain.provider);
    const PaymentRequest text = readPaymentRequest(R"({"invoiceId":"F-2026/İ","amount":"1","currency":"TRY"})").value();
    QCOMPARE(text.invoiceId, std::string("F-2026/İ"));
    QVERIFY(!text.invoiceIsNumber);
    const std::string longest(64, '9');
    QCOMPARE(readPaymentRequest("{\"invoiceId\":" + longest + ",\"amount\":1,\"currency\":\"TRY\"}").value().invoiceId,
             longest);
}

void RequestTest::badInputIsRefusedAndTheMemberNamed_data()
{
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<ErrorCode>("code");
    QTest::addColumn<QByteArray>("named");
    int count = 0;
    const auto body = [&count](const QByteArray& text, ErrorCode code, const char* named) {
        QTest::addRow("%d %s", ++count, text.left(60).constData()) << text << code << QByteArray(named);
    };
    const auto with = [&body](const QByteArray& members, ErrorCode code, const char* named) {
        body("{\"invoiceId\":1,\"amount\":\"1.00\",\"currency\":\"TRY\"," + members + "}", code, named);
    };
    const auto amount = [&body](const QByteArray& value, const char* currency = "TRY") {
        body("{\"invoiceId\":1,\"amount\":" + value + ",\"currency\":\"" + currency + "\"}", ErrorCode::AmountInvalid,
             "amount");
    };
    using enum ErrorCode;
    for (const char* value : {"0",
                              "0.00",
                              "\"0\"",
                              "-0",
                              "-1",
                              "\"-1.00\"",
                              "1.005",
                              "\"1.005\"",
                              "1e-3",
                              "9223372036854775808",
                              "9223372036854775807",
                              "10000000000000.01",
                              "1e400",
                              "\"\"",
                              "\" 1\"",
                              "\"1,00\"",
                              "\"1.000,00\"",
                              "\"+1\"",
                              "\"0x10\"",
                              "\"NaN\"",
                              "\"1e\"",
                              "\"one\""})
        amount(value);
    amount("500.5", "JPY");
    amount("0.01", "ISK");
    amount("1.0005", "KWD");
    for (const char* value : {"null", "true", "[]", "{}", "[1]"})
        body(QByteArray("{\"invoiceId\":1,\"amount\":") + value + ",\"currency\":\"TRY\"}", RequestInvalid, "amount");
    for (const char* value : {"\"try\"", "\"inr\"", "\"Isk\"", "\"\xC4\xB0NR\"", "\"XXX\"", "\"\"", "\"TRY \""})
        body(QByteArray("{\"invoiceId\":1,\"amount\":1,\"currency\":") + value + "}", CurrencyInvalid, "currency");
    for (const char* value : {"949", "null", "[\"TRY\"]"})
        body(QByteArray("{\"invoiceId\":1,\"amount\":1,\"currency\":") + value + "}", RequestInvalid, "currency");
    for (const QByteArray& value :
         {QByteArray("1.0"), QByteArray("1e3"), QByteArray("null"), QByteArray("true"), QByteArray("\"\""),
          QByteArray("[]"), "\"" + QByteArray(65, 'x') + "\"", QByteArray(65, '9'), QByteArray("\"a\\nb\"")})
        body("{\"invoiceId\":" + value + ",\"amount\":1,\"currency\":\"TRY\"}", RequestInvalid, "invoiceId");
    body(R"({"amount":1,"currency":"TRY"})", RequestInvalid, "invoiceId");
    body(R"({"invoiceId":1,"currency":"TRY"})", RequestInvalid, "amount");
    body(R"({"invoiceId":1,"amount":1})", RequestInvalid, "currency");
    with("\"colour\":\"red\"", RequestInvalid, "colour");
    with("\"Amount\":\"1.00\"", RequestInvalid, "Amount");
    with("\"amount\":\"100000\"", RequestInvalid, "amount");
    with("\"currency\":\"TRY\"", RequestInvalid, "currency");
    with("\"\\u0061mount\":\"100000\"", RequestInvalid, "amount");
    with("\"description\":{\"a\":1,\"a\":2}", RequestInvalid, "a");
    for (const char* value : {"0", "-1", "1.0", "1e2", "\"101\"", "null", "9223372036854775808", "true"})
        with(QByteArray("\"accountId\":") + value, RequestInvalid, "accountId");
    for (const char* value :
         {"\"\"", "\"Sale\"", "\"a b\"", "\"\xC4\xB1\"", "1", "null", "\"0123456789012345678901234567890123\""})
        with(QByteArray("\"paymentType\":") + value, RequestInvalid, "paymentType");
    for (const char* value : {"\"\"", "7", "null", "\"a\\u0000b\"", "\"a\\u001fb\"", "\"\\ud800\""})
        with(QByteArray("\"customerId\":") + value, RequestInvalid, "customerId");
    with("\"description\":\"" + QByteArray(501, 'x') + "\"", RequestInvalid, "description");
    with("\"provider\":null", RequestInvalid, "provider");
    for (const char* text :
         {"", "{", "[]", "null", "1", "\"x\"", "{}x", "{\"invoiceId\":1,}", "\xEF\xBB\xBF{}", "{'invoiceId':1}"})
        body(text, RequestInvalid, "");
    body("{\"invoiceId\":\"\xFF\",\"amount\":1,\"currency\":\"TRY\"}", RequestInvalid, "");
}

void RequestTest::badInputIsRefusedAndTheMemberNamed()
{
    QFETCH(QByteArray, body);
    QFETCH(ErrorCode, code);
    QFETCH(QByteArray, named);
    const auto request = readPaymentRequest(std::string_view(body.constData(), static_cast<std::size_t>(body.size())));
    QVERIFY(!request.ok());
    QCOMPARE(nameOf(request.error().code), nameOf(code));
    QVERIFY(!request.error().detail.empty());
    QVERIFY2(request.error().detail.find(named.toStdString()) != std::string::npos, request.error().detail.c_str());
}

// Stored fingerprints outlive programs: another value here would turn every retry of that time into a mismatch.
void RequestTest::theFingerprintNeverChanges()
{
    QCOMPARE(hashOf(kPlain), std::string("d3a14cdfb8e413a1b18c800fe08d73e15f2dffd5d02f24c336968d73e4723da1"));
    QCOMPARE(hashOf(kFull), std::string("9f263259bf769aad53d7c95881645a492b44f9f0e7ea3eb41a40eeb53d9120a7"));
}

void RequestTest::equalFormsHaveOneFingerprint_data()
{
    QTest::addColumn<QByteArray>("body");
    for (const char* body : {R"({"invoiceId":45982,"amount":1000,"currency":"TRY"})",
                             R"({"invoiceId":45982,"amount":1000.0,"currency":"TRY"})",
                             R"({"invoiceId":45982,"amount":1e3,"currency":"TRY"})",
                             R"({"invoiceId":45982,"amount":"1000.00","currency":"TRY"})",
                             R"({"invoiceId":45982,"amount":"1000","currency":"TRY"})",
                             R"({"currency":"TRY","invoiceId":45982,"amount":1000.00})",
                             "\r\n{ \"currency\" : \"TRY\" ,\t\"amount\" : 1000.00 , \"invoiceId\" : 45982 }\n",
                             R"({"invoiceId":45982,"amount":1000.00,"currency":"\u0054RY"})",
                             R"({"invoice\u0049d":45982,"amount":1000.00,"currency":"TRY"})",
                             R"({"invoiceId":"45982","amount":1000.00,"currency":"TRY"})"})
        QTest::newRow(body) << QByteArray(body);
}

void RequestTest::equalFormsHaveOneFingerprint()
{
    QFETCH(QByteArray, body);
    QCOMPARE(hashOf(std::string_view(body.constData(), static_cast<std::size_t>(body.size()))), hashOf(kPlain));
}

void RequestTest::everyMemberChangesTheFingerprint()
{
    std::set<std::string> seen{hashOf(kFull)};
    const auto changed = [&seen](std::string_view from, std::string_view to) {
        std::string body(kFull);
        const std::size_t at = body.find(from);
        if (at == std::string::npos)
            return false;
        body.replace(at, from.size(), to);
        const std::string hash = hashOf(body);
        return !hash.starts_with("refused") && seen.insert(hash).second;
    };
    struct Change {
        const char* from;
        const char* to;
    };
    static constexpr Change kChanges[] = {
        {"45982", "45983"},
        {"1000.00", "1000.01"},
        {"\"TRY\"", "\"EUR\""},
        {":102", ":103"},
        {"müşteri-7", "müşteri-8"},
        {"subscription", "subscriptions"},
        {"kira", "Kira"},
        {"\"bank\"", "\"bank2\""},
        {"\"accountId\":102,", ""},
        {"\"customerId\":\"müşteri-7\",", ""},
        {"\"paymentType\":\"subscription\",", ""},
        {"\"subscription\"", "\"sale\""},
        {"\"description\":\"Mart \\\"kira\\\"\",", ""},
        {",\"provider\":\"bank\"", ""},
        // The same minor units are another amount in a currency with other decimals.
        {"1000.00,\"currency\":\"TRY\"", "100000,\"currency\":\"JPY\""},
    };
    for (const Change& change : kChanges)
        QVERIFY2(changed(change.from, change.to), change.from);
}

void RequestTest::textsDoNotFlowFromOneMemberIntoAnother()
{
    const auto hash = [](std::string_view members) {
        return hashOf("{\"invoiceId\":1,\"amount\":1,\"currency\":\"TRY\"" + std::string(members) + "}");
    };
    const std::set<std::string> hashes{
        hash(""),
        hash(",\"customerId\":\"ab\",\"description\":\"c\""),
        hash(",\"customerId\":\"a\",\"description\":\"bc\""),
        hash(",\"customerId\":\"x\""),
        hash(",\"description\":\"x\""),
        hash(",\"paymentType\":\"sale\""),
    };
    QCOMPARE(hashes.size(), std::size_t(6));
}

TEKIL_TEST(RequestTest)
#include "request_test.moc"
