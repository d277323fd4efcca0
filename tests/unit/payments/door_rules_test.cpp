// The small rules at the door: Prefer, the body's type, a merchant's rate, and when the engine takes no more.
#include "core/payments/admission.h"
#include "core/payments/content_type.h"
#include "core/payments/prefer.h"
#include "core/payments/token_bucket.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace tekil;
using namespace tekil::payments;
using namespace std::chrono_literals;

class DoorRulesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void preferIsReadAsRfc7240Says_data();
    void preferIsReadAsRfc7240Says();
    void aBodyMustBePlainJsonInUtf8_data();
    void aBodyMustBePlainJsonInUtf8();
    void aRateIsABurstOfOneSecondAndThenEven();
    void aBurstIsTakenAndAStandingQueueIsNot();
    void anOverloadEndsWhenTheQueueIsWorkedOff();
    void tooManyInFlightAreRefusedAtOnce();
};

void DoorRulesTest::preferIsReadAsRfc7240Says_data()
{
    QTest::addColumn<QByteArrayList>("lines");
    QTest::addColumn<int>("waitMs");
    int count = 0;
    const auto row = [&count](const QByteArrayList& lines, int waitMs) {
        QTest::addRow("%d %s", ++count, lines.join(" | ").constData()) << lines << waitMs;
    };
    row({}, 10'000);
    row({"wait=1"}, 1'000);
    row({"WAIT=1"}, 1'000);
    row({"wait=\"1\""}, 1'000);
    row({"wait = 7"}, 7'000);
    row({"wait=0"}, 0);
    row({"wait=30"}, 30'000);
    row({"wait=31"}, 30'000);
    row({"wait=99999999999999999999"}, 30'000);
    row({"respond-async"}, 0);
    row({"Respond-Async"}, 0);
    row({"respond-async, wait=10"}, 10'000);
    row({"wait=10, respond-async"}, 10'000);
    row({"respond-async", "wait=2"}, 2'000);
    row({"wait=2", "respond-async"}, 2'000);
    row({"wait=3, wait=5"}, 3'000); // the first instance counts
    row({"wait=3", "wait=5"}, 3'000);
    row({"respond-async; foo=\"a, wait=1\""}, 0);
    row({"foo=\"x, wait=1\", wait=2"}, 2'000);
    row({"foo=\"x\\\", wait=1\", wait=2"}, 2'000);
    row({"wait=4; foo=bar"}, 4'000);
    row({", ,wait=4,"}, 4'000);
    row({"return=minimal, handling=lenient"}, 10'000);
    for (const char* bad :
         {"wait", "wait=", "wait=\"\"", "wait=-1", "wait=1.5", "wait=x", "wait=+1", "waits=1", "wait=\"1"})
        row({bad}, 10'000);
    row({"wait=x, respond-async"}, 0);
}

void DoorRulesTest::preferIsReadAsRfc7240Says()
{
    QFETCH(QByteArrayList, lines);
    QFETCH(int, waitMs);
    std::vector<std::string_view> views;
    for (const QByteArray& line : lines)
        views.emplace_back(line.constData(), static_cast<std::size_t>(line.size()));
    QCOMPARE(readWait(views).count(), std::int64_t(waitMs));
}

void DoorRulesTest::aBodyMustBePlainJsonInUtf8_data()
{
    QTest::addColumn<QByteArrayList>("headers"); // names and values in turn
    QTest::addColumn<bool>("taken");
    const auto row = [](const char* name, const QByteArrayList& headers, bool taken) {
        QTest::newRow(name) << headers << taken;
    };
    const QByteArray type = "Content-Type";
    row("plain", {type, "application/json"}, true);
    row("case", {"content-type", "Application/JSON"}, true);
    row("charset", {type, "application/json; charset=utf-8"}, true);
    row("quoted charset", {type, "application/json;charset=\"UTF-8\" ; x=y"}, true);
    row("identity", {type, "application/json", "Content-Encoding", "identity"}, true);
    row("none", {}, false);
    row("text", {type, "text/plain"}, false);
    row("form", {type, "application/x-www-form-urlencoded"}, false);
    row("a longer type", {type, "application/json-seq"}, false);
    row("problem", {type, "application/problem+json"}, false);
    row("Latin-1", {type, "application/json; charset=iso-8859-1"}, false);
    row("UTF-16", {type, "application/json; x=y; charset=utf-16"}, false);
    row("two charsets", {type, "application/json; charset=utf-8; charset=latin5"}, false);
    row("no charset's name", {type, "application/json; charset="}, false);
    row("twice", {type, "application/json", type, "application/json"}, false);
    row("gzip", {type, "application/json", "Content-Encoding", "gzip"}, false);
    row("identity, gzip", {type, "application/json", "Content-Encoding", "identity, gzip"}, false);
}

void DoorRulesTest::aBodyMustBePlainJsonInUtf8()
{
    QFETCH(QByteArrayList, headers);
    QFETCH(bool, taken);
    http::Headers given;
    for (qsizetype i = 0; i + 1 < headers.size(); i += 2)
        given.add(headers[i].toStdString(), headers[i + 1].toStdString());
    const auto checked = checkJsonBody(given);
    QCOMPARE(checked.ok(), taken);
    if (!taken)
        QCOMPARE(checked.error().code, ErrorCode::UnsupportedMediaType);
}

void DoorRulesTest::aRateIsABurstOfOneSecondAndThenEven()
{
    TokenBucket bucket;
    std::chrono::nanoseconds now = 5h;
    for (int i = 0; i < 4; ++i)
        QCOMPARE(bucket.take(4, now).count(), 0);
    QCOMPARE(bucket.take(4, now), std::chrono::nanoseconds(250ms));
    QCOMPARE(bucket.take(4, now + 100ms), std::chrono::nanoseconds(150ms)); // a refusal costs nothing
    QCOMPARE(bucket.take(4, now + 250ms).count(), 0);
    QVERIFY(bucket.take(4, now + 250ms).count() > 0);
    QVERIFY(bucket.take(4, now).count() > 0); // a clock that stands still or goes back gives nothing
    int taken = 0;
    for (int ms = 0; ms < 10'000; ++ms)
        taken += bucket.take(4, now + 1s + std::chrono::milliseconds(ms)).count() == 0 ? 1 : 0;
    QVERIFY2(taken >= 42 && taken <= 44, std::to_string(taken).c_str());
}

void DoorRulesTest::aBurstIsTakenAndAStandingQueueIsNot()
{
    Admission admission({.maxInFlight = 100, .target = 100ms, .burst = 1s, .longest = 2s});
    std::chrono::nanoseconds now = 1h;
    QVERIFY(!admission.refuses(1, 50ms, now));
    QVERIFY(!admission.refuses(1, 900ms, now));        // late for a moment
    QVERIFY(!admission.refuses(1, 50ms, now + 500ms)); // and in order again
    QVERIFY(!admission.refuses(1, 300ms, now + 600ms));
    QVERIFY(!admission.refuses(1, 300ms, now + 1600ms));
    QVERIFY(admission.refuses(1, 300ms, now + 1700ms)); // late for longer than a burst
    QVERIFY(admission.overloaded());
    Admission other({.maxInFlight = 100, .target = 100ms, .burst = 1s, .longest = 2s});
    QVERIFY(other.refuses(1, 2100ms, now)); // too late for any burst
    QCOMPARE(Admission::retryAfterSeconds(0ms), 1);
    QCOMPARE(Admission::retryAfterSeconds(2100ms), 3);
    QCOMPARE(Admission::retryAfterSeconds(1h), 30);
}

void DoorRulesTest::anOverloadEndsWhenTheQueueIsWorkedOff()
{
    Admission admission({.maxInFlight = 100, .target = 100ms, .burst = 1s, .longest = 2s});
    const std::chrono::nanoseconds now = 1h;
    QVERIFY(admission.refuses(1, 3s, now));
    QVERIFY(!admission.refuses(1, 99ms, now + 1s)); // up to the target work is taken, so that nothing stands idle
    QVERIFY(admission.overloaded());
    QVERIFY(admission.refuses(1, 101ms, now + 2s)); // and no burst
    QVERIFY(!admission.refuses(1, 20ms, now + 3s));
    QVERIFY(!admission.overloaded());
    QVERIFY(!admission.refuses(1, 500ms, now + 4s)); // bursts are welcome again
}

void DoorRulesTest::tooManyInFlightAreRefusedAtOnce()
{
    Admission admission({.maxInFlight = 2, .target = 100ms, .burst = 1s, .longest = 2s});
    QVERIFY(!admission.refuses(1, 0ms, 1h));
    QVERIFY(admission.refuses(2, 0ms, 1h));
    QVERIFY(!admission.refuses(1, 0ms, 1h));
}

TEKIL_TEST(DoorRulesTest)
#include "door_rules_test.moc"
