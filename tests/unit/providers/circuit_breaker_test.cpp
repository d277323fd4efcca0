// When a provider is called and when not: the circuit breaker's rules, with the time in the test's hand.
#include "core/providers/circuit_breaker.h"
#include "tests/support/test_main.h"

#include <QTest>

namespace {

using namespace tekil::providers;
using namespace std::chrono_literals;

constexpr BreakerRules kRules{
    .window = 10s, .minCalls = 10, .percent = 50, .openFor = 5s, .longestOpen = 20s, .probeLimit = 8s};

class CircuitBreakerTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aFewFailuresOpenNothing()
    {
        CircuitBreaker breaker(kRules);
        fail(breaker, 100s, 9);
        QVERIFY(breaker.state(100s) == BreakerState::Closed);
        QVERIFY(breaker.admit(100s));
        QVERIFY(breaker.opensIn(100s) == 0s);
    }

    void itOpensAtTheShareWithinTheWindow()
    {
        CircuitBreaker breaker(kRules);
        for (int i = 0; i < 6; ++i)
            breaker.answered(100s);
        fail(breaker, 100s, 5);
        QVERIFY(breaker.state(100s) == BreakerState::Closed); // 5 of 11
        fail(breaker, 100s, 1);
        QVERIFY(breaker.state(100s) == BreakerState::Open);
        QVERIFY(!breaker.admit(100s) && !breaker.mayAccept(100s));
        QVERIFY(breaker.opensIn(101s) == 4s);
    }

    void whatIsOlderThanTheWindowCountsNoMore()
    {
        CircuitBreaker breaker(kRules);
        fail(breaker, 100s, 9);
        fail(breaker, 111s, 1);
        QVERIFY(breaker.state(111s) == BreakerState::Closed);
        fail(breaker, 111s, 9);
        QVERIFY(breaker.state(111s) == BreakerState::Open);
    }

    void halfOpenLetsOneProbeGo()
    {
        CircuitBreaker breaker(kRules);
        fail(breaker, 100s, 10);
        QVERIFY(breaker.state(105s) == BreakerState::HalfOpen);
        QVERIFY(breaker.mayAccept(105s));
        QVERIFY(breaker.admit(105s));
        QVERIFY(!breaker.admit(105s) && !breaker.mayAccept(105s));
        QVERIFY(breaker.opensIn(106s) == 7s);
    }

    void aProbeThatIsAnsweredClosesIt()
    {
        CircuitBreaker breaker(kRules);
        fail(breaker, 100s, 10);
        QVERIFY(breaker.admit(105s));
        breaker.answered(106s);
        QVERIFY(breaker.state(106s) == BreakerState::Closed);
        fail(breaker, 106s, 9); // the past is forgotten
        QVERIFY(breaker.state(106s) == BreakerState::Closed);
    }

    void aProbeThatFailsOpensItForLongerAndNotForEver()
    {
        CircuitBreaker breaker(kRules);
        fail(breaker, 100s, 10);
        CircuitBreaker::Time now = 105s;
        for (const auto openFor : {10s, 20s, 20s}) {
            QVERIFY(breaker.admit(now));
            breaker.unreached(now);
            QVERIFY(breaker.state(now) == BreakerState::Open);
            QVERIFY(breaker.opensIn(now) == openFor);
            now += openFor;
        }
    }

    void anAnswerToWhatWasSentBeforeItOpenedDoesNotCloseIt()
    {
        CircuitBreaker breaker(kRules);
        fail(breaker, 100s, 10);
        breaker.answered(101s);
        QVERIFY(breaker.state(101s) == BreakerState::Open);
        fail(breaker, 102s, 5); // nor do more failures make it longer
        QVERIFY(breaker.opensIn(102s) == 3s);
    }

    void aProbeThatIsNotHeardOfLetsAnotherGo()
    {
        CircuitBreaker breaker(kRules);
        fail(breaker, 100s, 10);
        QVERIFY(breaker.admit(105s));
        QVERIFY(!breaker.admit(112s));
        QVERIFY(breaker.admit(113s));
    }

private:
    static void fail(CircuitBreaker& breaker, CircuitBreaker::Time now, int times)
    {
        for (int i = 0; i < times; ++i)
            breaker.unreached(now);
    }
};

} // namespace

TEKIL_TEST(CircuitBreakerTest)
#include "circuit_breaker_test.moc"
