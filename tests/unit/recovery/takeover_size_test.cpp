// A takeover takes what can be ended within half a lease: few at first, more while they end fast.
#include "core/recovery/takeover_size.h"
#include "tests/support/test_main.h"

#include <QTest>

namespace {

using namespace tekil::recovery;
using namespace std::chrono_literals;

class TakeoverSizeTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void itDoublesWhileWhatIsTakenEndsAndIsBounded()
    {
        TakeoverSize size;
        QCOMPARE(size.size(), std::int64_t(100));
        for (int i = 0; i < 10; ++i)
            size.looked(size.size(), 0, 250ms, 30s);
        QCOMPARE(size.size(), TakeoverSize::kLargest);
    }

    void itIsNoMoreThanEndsWithinHalfALease()
    {
        TakeoverSize size;
        for (int i = 0; i < 5; ++i)
            size.looked(10, 50, 1s, 30s);
        QCOMPARE(size.size(), std::int64_t(150));
        size.looked(0, 50, 1s, 30s); // a provider that fell silent
        QCOMPARE(size.size(), TakeoverSize::kSmallest);
    }

    void anIdleLookSaysNothing()
    {
        TakeoverSize size;
        size.looked(100, 0, 250ms, 30s);
        size.looked(0, 0, 250ms, 30s);
        QCOMPARE(size.size(), std::int64_t(200));
    }

    void moreIsTakenOnceAQuarterIsFree()
    {
        const TakeoverSize size;
        QCOMPARE(size.room(0), std::int64_t(100));
        QCOMPARE(size.room(75), std::int64_t(25));
        QCOMPARE(size.room(76), std::int64_t(0));
        QCOMPARE(size.room(500), std::int64_t(0));
    }
};

} // namespace

TEKIL_TEST(TakeoverSizeTest)
#include "takeover_size_test.moc"
