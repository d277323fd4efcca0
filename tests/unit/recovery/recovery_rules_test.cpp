// What an engine does next with a payment it has taken over, for every kind of provider.
#include "core/recovery/recovery_rules.h"
#include "tests/support/test_main.h"

#include <QTest>

namespace {

using namespace tekil;
using namespace tekil::recovery;

Situation unknownAfterOneSend()
{
    return {.state = PaymentState::Unknown, .isAccepted = true, .sent = 1};
}

class RecoveryRulesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aClaimGoesOnAsIfItsClientWaited() { QVERIFY(nextStep({}) == NextStep::Accept); }

    void whatWasNeverSentIsSent() { QVERIFY(nextStep({.isAccepted = true}) == NextStep::Send); }

    void anOpenAttemptIsNeverSentAgainBeforeItIsUnknown()
    {
        for (const bool able : {false, true}) {
            const Situation situation{
                .isAccepted = true, .hasOpenAttempt = true, .sent = 1, .canIdempotent = able, .canInquiry = able};
            QVERIFY(nextStep(situation) == NextStep::CloseAttempt);
        }
    }

    void aProviderThatCanBothIsAskedFirst()
    {
        Situation situation = unknownAfterOneSend();
        situation.canIdempotent = situation.canInquiry = true;
        QVERIFY(nextStep(situation) == NextStep::Ask);
        situation.wasAsked = true;
        QVERIFY(nextStep(situation) == NextStep::SendAgain);
    }

    void withoutIdempotencyNothingIsSentTwice()
    {
        Situation situation = unknownAfterOneSend();
        QVERIFY(nextStep(situation) == NextStep::Leave);
        situation.canInquiry = situation.wasAsked = true;
        QVERIFY(nextStep(situation) == NextStep::Leave);
    }

    void aKeyThatMayBeForgottenIsNotSentAgain()
    {
        Situation situation = unknownAfterOneSend();
        situation.canIdempotent = true;
        QVERIFY(nextStep(situation) == NextStep::SendAgain);
        situation.mayNotBeSent = true;
        QVERIFY(nextStep(situation) == NextStep::Leave);
        situation.mayNotBeSent = false;
        situation.sent = kMaxSends;
        QVERIFY(nextStep(situation) == NextStep::Leave);
    }
};

TEKIL_TEST(RecoveryRulesTest)

} // namespace

#include "recovery_rules_test.moc"
