// How numbers, money and times are written in both languages.
#include "tests/support/test_main.h"
#include "ui/widgets/format.h"

#include <QTest>

#include <limits>

namespace tekil::ui {

using namespace Qt::Literals::StringLiterals;

class FormatTest : public QObject {
    Q_OBJECT
private:
    const QTimeZone m_zone{"Europe/Istanbul"};
    const Formatter m_en{Language::English, m_zone};
    const Formatter m_tr{Language::Turkish, m_zone};
    static constexpr std::int64_t kAt = 1'772'708'829'118'456; // 2026-03-05T11:07:09.118456Z

private Q_SLOTS:
    void moneyIsWrittenInBothLanguages_data()
    {
        QTest::addColumn<qint64>("minor");
        QTest::addColumn<int>("exponent");
        QTest::addColumn<QString>("english");
        QTest::addColumn<QString>("turkish");
        QTest::newRow("negative") << qint64(-125'000) << 2 << u"\u22121,250.00"_s << u"\u22121.250,00"_s;
        QTest::newRow("zero is 0") << qint64(0) << 2 << u"0.00"_s << u"0,00"_s;
        QTest::newRow("one minor unit") << qint64(1) << 2 << u"0.01"_s << u"0,01"_s;
        QTest::newRow("yen") << qint64(18'400) << 0 << u"18,400"_s << u"18.400"_s;
        QTest::newRow("dinar") << qint64(42'500) << 3 << u"42.500"_s << u"42,500"_s;
        QTest::newRow("under a thousand") << qint64(99'999) << 2 << u"999.99"_s << u"999,99"_s;
        QTest::newRow("largest") << std::numeric_limits<qint64>::max() << 2 << u"92,233,720,368,547,758.07"_s
                                 << u"92.233.720.368.547.758,07"_s;
        QTest::newRow("smallest") << std::numeric_limits<qint64>::min() << 2 << u"\u221292,233,720,368,547,758.08"_s
                                  << u"\u221292.233.720.368.547.758,08"_s;
    }
    void moneyIsWrittenInBothLanguages()
    {
        QFETCH(qint64, minor);
        QFETCH(int, exponent);
        QTEST(m_en.amount(minor, exponent), "english");
        QTEST(m_tr.amount(minor, exponent), "turkish");
    }
    void theCurrencyFollowsItsAmount() { QCOMPARE(m_tr.money(-125'000, 2, u"TRY"_s), u"\u22121.250,00 TRY"_s); }
    void sheetsGetNoGroupingAndAPlainMinus()
    {
        QCOMPARE(m_en.sheetAmount(-125'000, 2), u"-1250.00"_s);
        QCOMPARE(m_tr.sheetAmount(-125'000, 2), u"-1250,00"_s);
    }
    void percentStandsWhereTheLanguagePutsIt()
    {
        QCOMPARE(m_en.percent(61), u"6.1%"_s);
        QCOMPARE(m_tr.percent(61), u"%6,1"_s);
        QCOMPARE(m_tr.percent(-61), u"\u2212%6,1"_s);
    }
    void timesNameTheirZone()
    {
        QCOMPARE(m_en.full(kAt), u"2026-03-05 14:07:09.118 +03"_s);
        QCOMPARE(m_tr.full(kAt), u"05.03.2026 14:07:09,118 +03"_s);
        QCOMPARE(Formatter(Language::English, QTimeZone("Asia/Kolkata")).full(kAt),
                 u"2026-03-05 16:37:09.118 +05:30"_s);
    }
    void microsecondsAreCutNotRounded()
    {
        QCOMPARE(m_en.timeOfDay(kAt + 999 - 456), u"14:07:09.118"_s);
        QCOMPARE(Formatter().full(-1), u"1969-12-31 23:59:59.999 +00"_s);
    }
    void aListShowsTheTimeAloneOnlyForToday()
    {
        QCOMPARE(m_en.inList(kAt, kAt + 60'000'000), u"14:07:09.118"_s);
        QCOMPARE(m_en.inList(kAt, kAt + 86'400'000'000), u"2026-03-05 14:07:09"_s);
        // Today is the zone's day: at 21:07 UTC it is tomorrow in Istanbul.
        QCOMPARE(m_en.inList(kAt, kAt + 35'000'000'000), u"14:07:09.118"_s);
        QCOMPARE(m_en.inList(kAt, kAt + 36'000'000'000), u"2026-03-05 14:07:09"_s);
    }
    void daysAreNamedInBothLanguages()
    {
        QCOMPARE(m_en.dayName(kAt), u"Thu 5 Mar"_s);
        QCOMPARE(m_tr.dayName(kAt), u"5 Mart Per"_s);
    }
    void agesHaveTwoUnits_data()
    {
        QTest::addColumn<qint64>("seconds");
        QTest::addColumn<QString>("english");
        QTest::addColumn<QString>("turkish");
        QTest::newRow("below a minute") << qint64(52) << u"52 s"_s << u"52 sn"_s;
        QTest::newRow("minutes") << qint64(884) << u"14 min 44 s"_s << u"14 dk 44 sn"_s;
        QTest::newRow("padded") << qint64(1022) << u"17 min 02 s"_s << u"17 dk 02 sn"_s;
        QTest::newRow("hours") << qint64(96'000) << u"26 h 40 min"_s << u"26 sa 40 dk"_s;
        QTest::newRow("days") << qint64(360'000) << u"4 d 04 h"_s << u"4 gün 04 sa"_s;
        QTest::newRow("from the future") << qint64(-5) << u"0 s"_s << u"0 sn"_s;
    }
    void agesHaveTwoUnits()
    {
        QFETCH(qint64, seconds);
        QTEST(m_en.age(seconds * 1'000'000), "english");
        QTEST(m_tr.age(seconds * 1'000'000), "turkish");
    }
    void durationsKeepMilliseconds()
    {
        QCOMPARE(m_en.duration(6'000), u"6 ms"_s);
        QCOMPARE(m_en.duration(5'009'000), u"5.009 s"_s);
        QCOMPARE(m_tr.duration(5'009'000), u"5,009 sn"_s);
        QCOMPARE(m_en.duration(884'000'000), u"14 min 44 s"_s);
    }
};

} // namespace tekil::ui

using tekil::ui::FormatTest;
TEKIL_TEST(FormatTest)
#include "format_test.moc"
