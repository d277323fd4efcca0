// The other words of core/base: durations, digests, instants, the states of a payment, results and error codes.
#include "core/base/clock.h"
#include "core/base/digest.h"
#include "core/base/duration.h"
#include "core/base/payment_state.h"
#include "core/base/result.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <clocale>
#include <memory>
#include <set>

using namespace tekil;

// Every test runs under the C locale and under the Turkish one.
class WordsTest : public QObject {
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

    void aDurationIsAWholeNumberAndItsUnit_data();
    void aDurationIsAWholeNumberAndItsUnit();
    void theDigestIsThatOfTheStandard();
    void tokensDifferAndNeedNoEscaping();
    void anInstantIsWrittenInUtcWithMicroseconds();
    void onlyTheFiveTransitionsOfTheDesignAreAllowed();
    void statesAreReadByTheirExactNamesOnly();
    void anErrorSaysWhetherARepeatIsSafe();
    void everyErrorCodeHasANameOfItsOwn();
    void aResultHoldsAValueOrAnError();
};

void WordsTest::aDurationIsAWholeNumberAndItsUnit_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<qint64>("ms"); // 0: refused
    const auto row = [](const char* text, qint64 ms) { QTest::addRow("'%s'", text) << QByteArray(text) << ms; };
    row("1ms", 1);
    row("500ms", 500);
    row("5s", 5'000);
    row("15m", 900'000);
    row("24h", 86'400'000);
    row("3d", 259'200'000);
    for (const char* text : {"", "5", "s", "0s", "-5s", "+5s", "5 s", " 5s", "5s ", "5S", "5sec", "1.5s", "1,5s",
                             "5min", "1e3s", "0x5s", "9223372036854775807d", "99999999999999999999s", "1h30m"})
        row(text, 0);
}

void WordsTest::aDurationIsAWholeNumberAndItsUnit()
{
    QFETCH(QByteArray, text);
    QFETCH(qint64, ms);
    const auto read = readDuration(text.toStdString());
    QCOMPARE(read.ok(), ms > 0);
    if (read) {
        QCOMPARE(read->count(), ms);
    } else {
        QCOMPARE(read.error().code, ErrorCode::InvalidArgument);
        QVERIFY2(read.error().detail.find("such as 500ms, 5s, 15m or 24h") != std::string::npos,
                 read.error().detail.c_str());
    }
}

void WordsTest::theDigestIsThatOfTheStandard()
{
    // FIPS 180-2, appendix B, and the empty text.
    QCOMPARE(hex(sha256("abc")), std::string("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
    QCOMPARE(hex(sha256("")), std::string("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
    QVERIFY(sha256(std::string_view("a\0b", 3)) != sha256("a"));
}

void WordsTest::tokensDifferAndNeedNoEscaping()
{
    std::set<std::string> tokens;
    for (int i = 0; i < 1'000; ++i) {
        const std::string token = randomToken(32);
        QCOMPARE(token.size(), std::size_t(43));
        for (const char c : token)
            QVERIFY((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_');
        tokens.insert(token);
    }
    QCOMPARE(tokens.size(), std::size_t(1'000));
}

void WordsTest::anInstantIsWrittenInUtcWithMicroseconds()
{
    QCOMPARE(rfc3339(0), std::string("1970-01-01T00:00:00.000000Z"));
    QCOMPARE(rfc3339(1'772'719'629'118'000), std::string("2026-03-05T14:07:09.118000Z"));
    QCOMPARE(rfc3339(1'709'164'800'000'001), std::string("2024-02-29T00:00:00.000001Z"));
    QCOMPARE(rfc3339(-1), std::string("1969-12-31T23:59:59.999999Z"));
}

void WordsTest::onlyTheFiveTransitionsOfTheDesignAreAllowed()
{
    using enum PaymentState;
    std::set<std::pair<PaymentState, PaymentState>> allowed;
    for (const PaymentState from : kPaymentStates)
        for (const PaymentState to : kPaymentStates)
            if (mayBecome(from, to))
                allowed.emplace(from, to);
    const std::set<std::pair<PaymentState, PaymentState>> design{
        {Processing, Completed}, {Processing, Failed}, {Processing, Unknown}, {Unknown, Completed}, {Unknown, Failed}};
    QVERIFY(allowed == design);
    QVERIFY(isEnd(Completed) && isEnd(Failed) && !isEnd(Processing) && !isEnd(Unknown));
}

void WordsTest::statesAreReadByTheirExactNamesOnly()
{
    for (const PaymentState state : kPaymentStates)
        QVERIFY(paymentStateFromName(nameOf(state)) == state);
    for (const char* name : {"", "FAILED", "failed", "Failed ", "Processing\n", "FA\xC4\xB0LED", "Refunded"})
        QVERIFY2(!paymentStateFromName(name), name);
    for (const ReservationState state :
         {ReservationState::Active, ReservationState::Finalized, ReservationState::Released})
        QVERIFY(reservationStateFromName(nameOf(state)) == state);
    QVERIFY(!reservationStateFromName("active"));
}

void WordsTest::anErrorSaysWhetherARepeatIsSafe()
{
    QCOMPARE(retryOf(ErrorCode::CommitInDoubt), Retry::InDoubt);
    QCOMPARE(retryOf(ErrorCode::NoAnswer), Retry::InDoubt);
    QCOMPARE(retryOf(ErrorCode::AnswerInvalid), Retry::InDoubt);
    QCOMPARE(retryOf(ErrorCode::NotSent), Retry::Safe);
    QCOMPARE(retryOf(ErrorCode::DatabaseUnavailable), Retry::Safe);
    QCOMPARE(retryOf(ErrorCode::InsufficientFunds), Retry::Never);
    QCOMPARE(retryOf(ErrorCode::LeaseLost), Retry::Never);
}

void WordsTest::everyErrorCodeHasANameOfItsOwn()
{
    std::set<std::string_view> names;
    for (int code = 0; code <= static_cast<int>(ErrorCode::IoFailed); ++code) {
        const std::string_view name = nameOf(static_cast<ErrorCode>(code));
        QVERIFY(!name.empty());
        for (const char c : name)
            QVERIFY((c >= 'a' && c <= 'z') || c == '-');
        QVERIFY2(names.insert(name).second, std::string(name).c_str());
    }
}

void WordsTest::aResultHoldsAValueOrAnError()
{
    const Result<std::unique_ptr<int>> value = std::make_unique<int>(7);
    QVERIFY(value.ok() && **value == 7);
    const Result<std::unique_ptr<int>> failed = Error{ErrorCode::NotFound, "nothing here"};
    QVERIFY(!failed);
    QCOMPARE(failed.error().detail, std::string("nothing here"));
    QVERIFY(Result<void>().ok());
    QVERIFY(!Result<void>(Error{ErrorCode::Refused, ""}).ok());
}

TEKIL_TEST(WordsTest)
#include "words_test.moc"
