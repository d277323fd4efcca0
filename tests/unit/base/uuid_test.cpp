// Identifiers: version 7, unique and strictly increasing, whatever the clock and the threads do.
#include "core/base/clock.h"
#include "core/base/uuid.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <memory>
#include <thread>
#include <vector>

using namespace tekil;

namespace {

constexpr std::int64_t kMoment = 1'772'719'629'118; // 2026-03-05T14:07:09.118Z

std::int64_t millisecondsOf(const Uuid& id)
{
    std::int64_t ms = 0;
    for (std::size_t i = 0; i < 6; ++i)
        ms = ms << 8 | id.bytes()[i];
    return ms;
}

bool isVersion(const Uuid& id, int version)
{
    return id.bytes()[6] >> 4 == version && id.bytes()[8] >> 6 == 0b10;
}

std::vector<Uuid> take(UuidGenerator& generator, std::size_t count)
{
    std::vector<Uuid> ids;
    ids.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
        ids.push_back(generator.next());
    return ids;
}

bool increasesStrictly(const std::vector<Uuid>& ids)
{
    return std::adjacent_find(ids.begin(), ids.end(), std::greater_equal<>()) == ids.end();
}

} // namespace

class UuidTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aMillionIdsIncreaseStrictly();
    void sixteenThreadsNeverShareAnIdAndEachSeesThemIncrease();
    void fiveThousandIdsOfOneMillisecondIncreaseWithinIt();
    void aClockThatGoesBackAnHourDoesNotTakeTheSequenceBack();
    void theTimeAndTheVersionStandWhereRfc9562PutsThem();
    void theTextIsReadBackInEitherCase();
    void whatIsNoUuidIsRefused_data();
    void whatIsNoUuidIsRefused();
    void randomIdsAreVersion4AndDiffer();
};

void UuidTest::aMillionIdsIncreaseStrictly()
{
    UuidGenerator generator(wallClockMs);
    const auto ids = take(generator, 1'000'000);
    QVERIFY(increasesStrictly(ids));
    QVERIFY(std::all_of(ids.begin(), ids.end(), [](const Uuid& id) { return isVersion(id, 7); }));
    // A sequence that runs ahead of its clock would date payments into the future.
    QVERIFY(millisecondsOf(ids.back()) <= wallClockMs());
}

void UuidTest::sixteenThreadsNeverShareAnIdAndEachSeesThemIncrease()
{
    constexpr std::size_t kEach = 62'500;
    UuidGenerator generator(wallClockMs);
    std::vector<std::vector<Uuid>> taken(16);
    {
        std::vector<std::jthread> threads;
        for (auto& ids : taken)
            threads.emplace_back([&ids, &generator] { ids = take(generator, kEach); });
    }
    std::vector<Uuid> all;
    for (const auto& ids : taken) {
        QVERIFY(increasesStrictly(ids));
        all.insert(all.end(), ids.begin(), ids.end());
    }
    std::sort(all.begin(), all.end());
    QCOMPARE(all.size(), 16 * kEach);
    QVERIFY(increasesStrictly(all));
}

void UuidTest::fiveThousandIdsOfOneMillisecondIncreaseWithinIt()
{
    UuidGenerator generator([] { return kMoment; });
    const auto ids = take(generator, 5'000);
    QVERIFY(increasesStrictly(ids));
    QCOMPARE(millisecondsOf(ids.front()), kMoment);
    QCOMPARE(millisecondsOf(ids.back()), kMoment);
}

void UuidTest::aClockThatGoesBackAnHourDoesNotTakeTheSequenceBack()
{
    constexpr std::int64_t kHour = 3'600'000;
    std::int64_t now = kMoment;
    UuidGenerator generator([&now] { return now; });
    auto ids = take(generator, 1'000);
    now -= kHour;
    const auto back = take(generator, 1'000);
    now += 2 * kHour;
    const auto forward = take(generator, 1'000);
    ids.insert(ids.end(), back.begin(), back.end());
    ids.insert(ids.end(), forward.begin(), forward.end());
    QVERIFY(increasesStrictly(ids));
    QCOMPARE(millisecondsOf(back.back()), kMoment);
    QCOMPARE(millisecondsOf(forward.back()), kMoment + kHour);
}

void UuidTest::theTimeAndTheVersionStandWhereRfc9562PutsThem()
{
    UuidGenerator generator([] { return std::int64_t{0x017F22E279B0}; }); // the RFC's own example, appendix A.6
    const Uuid id = generator.next();
    const std::string text = id.text();
    QCOMPARE(text.substr(0, 15), std::string("017f22e2-79b0-7"));
    QVERIFY2(std::string("89ab").find(text[19]) != std::string::npos, text.c_str());
    QCOMPARE(text.size(), std::size_t(36));
}

void UuidTest::theTextIsReadBackInEitherCase()
{
    const Uuid id = Uuid::next();
    std::string upper = id.text();
    std::transform(upper.begin(), upper.end(), upper.begin(),
                   [](char c) { return c >= 'a' && c <= 'f' ? static_cast<char>(c - 'a' + 'A') : c; });
    QVERIFY(Uuid::fromText(id.text()).value() == id);
    QVERIFY(Uuid::fromText(upper).value() == id);
    QVERIFY(Uuid().isNil());
    QVERIFY(!id.isNil());
}

void UuidTest::whatIsNoUuidIsRefused_data()
{
    QTest::addColumn<QByteArray>("text");
    for (const char* text : {"", "017f22e279b07cc398c4dc0c0c07398f", "017f22e2-79b0-7cc3-98c4-dc0c0c07398",
                             "017f22e2-79b0-7cc3-98c4-dc0c0c07398g", "017f22e2-79b0-7cc3-98c4-dc0c0c07398ff",
                             "{17f22e2-79b0-7cc3-98c4-dc0c0c07398f", "017f22e2:79b0-7cc3-98c4-dc0c0c07398f",
                             "017f22e2-79b07-cc3-98c4-dc0c0c07398f", " 17f22e2-79b0-7cc3-98c4-dc0c0c07398f",
                             "-17f22e2-79b0-7cc3-98c4-dc0c0c07398f"})
        QTest::addRow("'%s'", text) << QByteArray(text);
}

void UuidTest::whatIsNoUuidIsRefused()
{
    QFETCH(QByteArray, text);
    QVERIFY(!Uuid::fromText(text.toStdString()).ok());
}

void UuidTest::randomIdsAreVersion4AndDiffer()
{
    std::vector<Uuid> ids;
    for (int i = 0; i < 10'000; ++i)
        ids.push_back(Uuid::random());
    QVERIFY(std::all_of(ids.begin(), ids.end(), [](const Uuid& id) { return isVersion(id, 4); }));
    std::sort(ids.begin(), ids.end());
    QVERIFY(increasesStrictly(ids));
}

TEKIL_TEST(UuidTest)
#include "uuid_test.moc"
