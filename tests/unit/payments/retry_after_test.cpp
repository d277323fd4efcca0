// Retry-After comes from the lease and the provider's usual time, in whole seconds within 1..60.
#include "core/payments/retry_after.h"
#include "tests/support/test_main.h"

#include <QTest>

namespace {

using namespace tekil::payments;
using namespace std::chrono_literals;

class RetryAfterTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void itFollowsTheUsualTimeThenTheTimeOutThenTheLease()
    {
        const auto processing = [](std::chrono::milliseconds age) {
            return retryAfterSeconds({.isHeld = true, .age = age, .leaseLeft = 25s, .usual = 3s, .timeout = 10s});
        };
        QCOMPARE(processing(0s), 3);
        QCOMPARE(processing(2500ms), 1);
        QCOMPARE(processing(4s), 6);   // what the time-out leaves
        QCOMPARE(processing(12s), 28); // its engine may be gone
    }

    void anUnknownOneIsAskedAboutWhenItIsDue()
    {
        QCOMPARE(retryAfterSeconds({.isUnknown = true, .leaseLeft = 16s, .usual = 200ms}), 17);
        QCOMPARE(retryAfterSeconds({.isUnknown = true, .isHeld = true, .leaseLeft = 29s, .usual = 200ms}), 1);
    }

    void anOpenBreakerIsWaitedFor()
    {
        QCOMPARE(retryAfterSeconds({.usual = 100ms, .timeout = 5s, .breaker = 12s}), 12);
    }

    void itIsNeverLessThanASecondNorMoreThanAMinute()
    {
        QCOMPARE(retryAfterSeconds({}), 1);
        QCOMPARE(retryAfterSeconds({.isUnknown = true, .leaseLeft = -5s}), 1);
        QCOMPARE(retryAfterSeconds({.isUnknown = true, .leaseLeft = 24h}), 60);
        QCOMPARE(inSeconds(1ns), 1);
        QCOMPARE(inSeconds(59'001ms), 60);
    }
};

} // namespace

TEKIL_TEST(RetryAfterTest)
#include "retry_after_test.moc"
