// Money and currencies: exact for every value, refused where exactness would be lost, the same in every locale.
#include "core/base/money.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <clocale>
#include <limits>
#include <set>

using namespace tekil;

namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

// A number's text by its own arithmetic: 1205 with two decimals is 12.05.
std::string textOf(std::int64_t minor, int decimals)
{
    std::string text;
    for (int place = 0; place < decimals || minor > 0 || place == decimals; ++place) {
        if (place == decimals && decimals > 0)
            text.insert(text.begin(), '.');
        text.insert(text.begin(), static_cast<char>('0' + minor % 10));
        minor /= 10;
    }
    return text;
}

Currency currency(const char* code)
{
    return Currency::fromCode(code).value();
}

} // namespace

// Every test runs under the C locale and under the Turkish one, whose comma and dotless i must change nothing.
class MoneyTest : public QObject {
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

    void everyAmountBelowAThousandComesBackExactly_data();
    void everyAmountBelowAThousandComesBackExactly();
    void fewerDecimalsThanTheCurrencyHasAreTheSameValue();
    void everyWayToWriteAThousandIsOneValue_data();
    void everyWayToWriteAThousandIsOneValue();
    void whatIsNotAnExactAmountIsRefused_data();
    void whatIsNotAnExactAmountIsRefused();
    void theLimitsOfInt64AreReadAndWrittenExactly();
    void sumsAndDifferencesThatDoNotFitAreErrors();
    void twoCurrenciesAreNeverAdded();
    void aCurrencyIsKnownByItsUpperCaseCodeOnly_data();
    void aCurrencyIsKnownByItsUpperCaseCodeOnly();
    void theTableOfCurrenciesIsOrderedAndWithoutDoubles();
};

void MoneyTest::everyAmountBelowAThousandComesBackExactly_data()
{
    QTest::addColumn<int>("exponent");
    QTest::newRow("JPY") << 0;
    QTest::newRow("TRY") << 2;
    QTest::newRow("KWD") << 3;
}

void MoneyTest::everyAmountBelowAThousandComesBackExactly()
{
    QFETCH(int, exponent);
    for (std::int64_t minor = 0; minor <= 99'999; ++minor) {
        const std::string text = textOf(minor, exponent);
        const auto read = minorFromDecimal(text, exponent);
        if (!read || *read != minor || decimalFromMinor(minor, exponent) != text)
            QFAIL(text.c_str());
        const auto negative = minorFromDecimal("-" + text, exponent);
        if (!negative || *negative != -minor || (minor > 0 && decimalFromMinor(-minor, exponent) != "-" + text))
            QFAIL(("-" + text).c_str());
    }
}

void MoneyTest::fewerDecimalsThanTheCurrencyHasAreTheSameValue()
{
    for (std::int64_t cents = 0; cents <= 99'999; ++cents) {
        const auto dinars = minorFromDecimal(textOf(cents, 2), 3);
        if (!dinars || *dinars != cents * 10)
            QFAIL(textOf(cents, 2).c_str());
        const auto yen = minorFromDecimal(textOf(cents, 2), 0);
        if (yen.ok() != (cents % 100 == 0) || (yen && *yen != cents / 100))
            QFAIL(textOf(cents, 2).c_str());
    }
}

void MoneyTest::everyWayToWriteAThousandIsOneValue_data()
{
    QTest::addColumn<QByteArray>("text");
    for (const char* text : {"1000", "1000.0", "1000.00", "1000.000000", "1e3", "1E3", "1e+3", "1.0e3", "10e2",
                             "100000e-2", "0.1e4", "1000e0", "1e03"})
        QTest::newRow(text) << QByteArray(text);
}

void MoneyTest::everyWayToWriteAThousandIsOneValue()
{
    QFETCH(QByteArray, text);
    QCOMPARE(minorFromDecimal(text.toStdString(), 2).value(), 100'000);
    QCOMPARE(minorFromDecimal(text.toStdString(), 0).value(), 1'000);
    QCOMPARE(Money::fromDecimal(text.toStdString(), currency("KWD")).value().decimal(), std::string("1000.000"));
}

void MoneyTest::whatIsNotAnExactAmountIsRefused_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<int>("exponent");
    QTest::addColumn<ErrorCode>("code");
    const auto refused = [](const char* text, int exponent, ErrorCode code = ErrorCode::AmountInvalid) {
        QTest::addRow("%s with %d decimals", text, exponent) << QByteArray(text) << exponent << code;
    };
    for (const char* text :
         {"",  " ",   "1,00", "1.000,00", "1 000", "+1",       ".5",    "5.", "01", "00",       "1e",    "1e+", "e3",
          "-", "--1", "0x10", "1_000",    "NaN",   "Infinity", "1.0.0", " 1", "1 ", "\xD9\xA1", "1e3.0", "1d3"})
        refused(text, 2);
    refused("1.005", 2);
    refused("0.001", 2);
    refused("1e-3", 2);
    refused("0.5", 0);
    refused("1.0005", 3);
    refused("1e-999999999999999999999", 2);
    for (const char* text :
         {"92233720368547758.08", "1e17", "1e1000000", "1e999999999999999999999", "99999999999999999999"})
        refused(text, 2, ErrorCode::AmountOverflow);
    refused("-92233720368547758.09", 2, ErrorCode::AmountOverflow);
    refused("9223372036854775808", 0, ErrorCode::AmountOverflow);
    QTest::addRow("65 digits") << QByteArray(65, '1') << 2 << ErrorCode::AmountInvalid;
}

void MoneyTest::whatIsNotAnExactAmountIsRefused()
{
    QFETCH(QByteArray, text);
    QFETCH(int, exponent);
    QFETCH(ErrorCode, code);
    const auto read = minorFromDecimal(text.toStdString(), exponent);
    QVERIFY(!read.ok());
    QCOMPARE(nameOf(read.error().code), nameOf(code));
}

void MoneyTest::theLimitsOfInt64AreReadAndWrittenExactly()
{
    QCOMPARE(decimalFromMinor(kMax, 2), std::string("92233720368547758.07"));
    QCOMPARE(decimalFromMinor(kMin, 2), std::string("-92233720368547758.08"));
    QCOMPARE(decimalFromMinor(kMin, 0), std::string("-9223372036854775808"));
    QCOMPARE(decimalFromMinor(kMin, 4), std::string("-922337203685477.5808"));
    for (const int exponent : {0, 2, 3, 4}) {
        QCOMPARE(minorFromDecimal(decimalFromMinor(kMax, exponent), exponent).value(), kMax);
        QCOMPARE(minorFromDecimal(decimalFromMinor(kMin, exponent), exponent).value(), kMin);
    }
    QCOMPARE(minorFromDecimal("9007199254740993", 0).value(), 9'007'199'254'740'993);
    QCOMPARE(minorFromDecimal("0e1000000", 2).value(), 0);
}

void MoneyTest::sumsAndDifferencesThatDoNotFitAreErrors()
{
    const Currency lira = currency("TRY");
    QCOMPARE(Money(kMax - 1, lira).plus(Money(1, lira)).value().minor(), kMax);
    QCOMPARE(Money(kMax, lira).plus(Money(1, lira)).error().code, ErrorCode::AmountOverflow);
    QCOMPARE(Money(kMin, lira).minus(Money(1, lira)).error().code, ErrorCode::AmountOverflow);
    QCOMPARE(Money(0, lira).minus(Money(kMin, lira)).error().code, ErrorCode::AmountOverflow);
    QCOMPARE(Money(9'007'199'254'740'993, lira).plus(Money(1, lira)).value().minor(), 9'007'199'254'740'994);
}

void MoneyTest::twoCurrenciesAreNeverAdded()
{
    const Money lira(100, currency("TRY"));
    const Money euro(100, currency("EUR"));
    QCOMPARE(lira.plus(euro).error().code, ErrorCode::CurrencyMixed);
    QCOMPARE(lira.minus(euro).error().code, ErrorCode::CurrencyMixed);
    QVERIFY(!(lira == euro));
}

void MoneyTest::aCurrencyIsKnownByItsUpperCaseCodeOnly_data()
{
    QTest::addColumn<QByteArray>("code");
    QTest::addColumn<int>("exponent"); // -1: refused
    const auto row = [](const char* code, int exponent) {
        QTest::addRow("'%s'", code) << QByteArray(code) << exponent;
    };
    row("TRY", 2);
    for (const char* code : {"INR", "IDR", "ILS", "GIP", "NIO"})
        row(code, 2);
    for (const char* code : {"JPY", "KRW", "CLP", "ISK", "BIF", "VND"})
        row(code, 0);
    for (const char* code : {"KWD", "IQD", "BHD"})
        row(code, 3);
    row("CLF", 4);
    for (const char* code : {"",           "T",          "TR",  "TRYX", "try", "inr", "Inr", "iNR",  "idr",  "isk",
                             "\xC4\xB0NR", "\xC4\xB1nr", "XXX", "XAU",  "TRL", "ZZZ", "AAA", " TRY", "TRY ", "949"})
        row(code, -1);
}

void MoneyTest::aCurrencyIsKnownByItsUpperCaseCodeOnly()
{
    QFETCH(QByteArray, code);
    QFETCH(int, exponent);
    const auto read = Currency::fromCode(code.toStdString());
    QCOMPARE(read.ok(), exponent >= 0);
    if (read)
        QCOMPARE(read->exponent(), exponent);
    else
        QCOMPARE(read.error().code, ErrorCode::CurrencyInvalid);
}

void MoneyTest::theTableOfCurrenciesIsOrderedAndWithoutDoubles()
{
    std::set<std::string_view> codes;
    std::string_view last;
    for (const Currency& each : allCurrencies()) {
        QVERIFY2(last < each.code(), std::string(each.code()).c_str());
        last = each.code();
        codes.insert(each.code());
        QVERIFY(Currency::fromCode(each.code()).ok());
    }
    QCOMPARE(codes.size(), std::size_t(157));
}

TEKIL_TEST(MoneyTest)
#include "money_test.moc"
