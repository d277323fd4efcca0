// What contradicts the books, or what they could not take, is a case in the same transaction: once, however often it is
// told.
#include "tests/db/payments/books.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <future>
#include <thread>

using namespace tekil;
using namespace tekil::test;

class CasesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void cleanup();

    void aCaptureAfterAFailureIsACaseAndNoRevival();
    void theSameTruthTenTimesIsOneCase_data();
    void theSameTruthTenTimesIsOneCase();
    void aCaptureOfOtherMoneyStaysUnknownAndIsACase();
    void aDeclineAfterACompletionIsACase();
    void anotherReferenceOfACompletedPaymentIsADuplicateCharge();
    void theSameEndAgainIsNoCase();
    void aLateSendIsACaseWhateverItsOutcome();
    void aSendAfterATakeoverIsLateByTheRowsThemselves();
    void aSendBeforeATakeoverIsNotLate();
    void anAnswerThatCannotBePostedIsACase();
    void whatPeopleResolvedIsNotOpenedAgainByTheSameTruth();
    void twoTellersAtOnceMakeOneCase();
    void verifyNamesAContradictionWithoutItsCase();

private:
    // "kind state at-risk truths", one case each.
    std::string cases() const
    {
        return m_books->sql("select coalesce(string_agg(c.kind || ' ' || c.state || ' ' || c.at_risk_minor || ' ' || "
                            "(select count(*) from tekil.reconciliation_case_fact f where f.case_id = c.case_id), ', ' "
                            "order by c.case_id), '') from tekil.reconciliation_case c");
    }
    std::string verify() const
    {
        return m_books->sql(
            "select coalesce(string_agg(problem, '; '), '') from tekil.verify() where problem is not null");
    }
    Wanted failed(const char* invoice)
    {
        const Wanted paid = m_books->sent(invoice, 10'000);
        if (m_books->finish({.id = paid.id, .proof = "declined", .code = "do_not_honor"}) != "done")
            qFatal("it did not fail");
        return paid;
    }
    Wanted completed(const char* invoice)
    {
        const Wanted paid = m_books->sent(invoice, 10'000);
        if (m_books->finish({.id = paid.id, .proof = "captured", .reference = "r-1"}) != "done")
            qFatal("it did not complete");
        return paid;
    }

    std::unique_ptr<Books> m_books = std::make_unique<Books>(100'000);
};

void CasesTest::cleanup()
{
    QCOMPARE(m_books->judge(), std::string());
    QCOMPARE(verify(), std::string());
    m_books = std::make_unique<Books>(100'000);
}

// B52, and design section 4: late truth is a case, never a revival.
void CasesTest::aCaptureAfterAFailureIsACaseAndNoRevival()
{
    const Wanted paid = failed("1");
    QCOMPARE(cases(), std::string());
    QCOMPARE(m_books->finish({.id = paid.id, .proof = "captured", .reference = "late"}), std::string("lost"));
    QCOMPARE(cases(), std::string("late_capture open 10000 1"));
    QCOMPARE(m_books->statusOf(paid.id), std::string("Failed"));
    QCOMPARE(m_books->reservationOf(paid.id), std::string("Released"));
    QCOMPARE(m_books->balance(), std::string("100000/0"));
    QCOMPARE(m_books->sql("select severity || ' ' || currency || ' ' || (facts->>'providerReference') from "
                          "tekil.reconciliation_case"),
             std::string("critical TRY late"));
    // A capture of other money after the failure is money that moved all the same.
    QCOMPARE(m_books->finish({.id = paid.id, .proof = "unknown", .reference = "other", .code = "amount_mismatch"}),
             std::string("lost"));
    QCOMPARE(cases(), std::string("late_capture open 10000 2"));
}

void CasesTest::theSameTruthTenTimesIsOneCase_data()
{
    QTest::addColumn<bool>("asked");
    QTest::newRow("late answers") << false;
    QTest::newRow("inquiries") << true;
}

void CasesTest::theSameTruthTenTimesIsOneCase()
{
    QFETCH(bool, asked);
    const Wanted paid = failed("1");
    for (int i = 0; i < 10; ++i)
        QCOMPARE(m_books->finish({.id = paid.id, .proof = "captured", .reference = "late", .asked = asked}),
                 std::string("lost"));
    QCOMPARE(cases(), std::string("late_capture open 10000 1"));
    QCOMPARE(m_books->statusOf(paid.id), std::string("Failed"));
}

void CasesTest::aCaptureOfOtherMoneyStaysUnknownAndIsACase()
{
    const Wanted paid = m_books->sent("1", 10'000);
    QCOMPARE(m_books->finish({.id = paid.id, .proof = "unknown", .reference = "r", .code = "amount_mismatch"}),
             std::string("done"));
    QCOMPARE(m_books->statusOf(paid.id), std::string("Unknown"));
    QCOMPARE(m_books->reservationOf(paid.id), std::string("Active"));
    QCOMPARE(cases(), std::string("amount_mismatch open 10000 1"));
    // Asked again, the provider says the same: still one case, still Unknown.
    QCOMPARE(m_books->finish({.id = paid.id,
                              .epoch = 2,
                              .proof = "unknown",
                              .attempt = {},
                              .reference = "r",
                              .code = "amount_mismatch",
                              .asked = true}),
             std::string("done"));
    QCOMPARE(m_books->statusOf(paid.id), std::string("Unknown"));
    QCOMPARE(cases(), std::string("amount_mismatch open 10000 1"));
}

void CasesTest::aDeclineAfterACompletionIsACase()
{
    const Wanted paid = completed("1");
    QCOMPARE(m_books->finish({.id = paid.id, .proof = "declined", .code = "do_not_honor"}), std::string("lost"));
    QCOMPARE(cases(), std::string("late_decline open 10000 1"));
    QCOMPARE(m_books->statusOf(paid.id), std::string("Completed"));
    QCOMPARE(m_books->balance(), std::string("90000/0"));
}

void CasesTest::anotherReferenceOfACompletedPaymentIsADuplicateCharge()
{
    const Wanted paid = completed("1");
    QCOMPARE(m_books->finish({.id = paid.id, .proof = "captured", .reference = "r-2"}), std::string("lost"));
    QCOMPARE(cases(), std::string("duplicate_charge open 10000 1"));
    QCOMPARE(m_books->finish({.id = paid.id, .proof = "captured", .reference = "r-3"}), std::string("lost"));
    QCOMPARE(cases(), std::string("duplicate_charge open 10000 2"));
}

void CasesTest::theSameEndAgainIsNoCase()
{
    const Wanted paid = completed("1");
    const Wanted other = failed("2");
    for (const char* proof : {"captured", "unknown", "not_found", "not_sent"})
        QCOMPARE(m_books->finish({.id = paid.id, .proof = proof, .reference = "r-1"}), std::string("lost"));
    for (const char* proof : {"declined", "unknown", "not_found", "not_sent"})
        QCOMPARE(m_books->finish({.id = other.id, .proof = proof}), std::string("lost"));
    QCOMPARE(cases(), std::string());
}

void CasesTest::aLateSendIsACaseWhateverItsOutcome()
{
    const Wanted paid = m_books->sent("1", 10'000);
    QCOMPARE(m_books->finish({.id = paid.id, .proof = "captured", .sentAfterUs = 40'000'000, .sentLate = true}),
             std::string("done"));
    QCOMPARE(cases(), std::string("late_send open 10000 1"));
    const Wanted silent = m_books->sent("2", 10'000);
    QCOMPARE(m_books->finish({.id = silent.id, .proof = "unknown", .sentAfterUs = 40'000'000, .sentLate = true}),
             std::string("done"));
    QCOMPARE(cases(), std::string("late_send open 10000 1, late_send open 10000 1"));
    QCOMPARE(m_books->sql("select count(*) from tekil.reconciliation_case where "
                          "(facts->>'sentAt')::timestamptz > (facts->>'sendBefore')::timestamptz"),
             std::string("2"));
}

// The database's clock may have stepped, so that a lease was over for others and not for its holder.
void CasesTest::aSendAfterATakeoverIsLateByTheRowsThemselves()
{
    const Wanted paid = m_books->sent("1", 10'000);
    m_books->sql("update tekil.idempotency_record set lease_epoch = 2");
    m_books->sql("insert into tekil.key_event (merchant_id, idempotency_key, operation_id, kind) select merchant_id, "
                 "idempotency_key, operation_id, 'takeover' from tekil.idempotency_record");
    QCOMPARE(m_books->finish({.id = paid.id, .proof = "captured", .sentAfterUs = 20'000'000}), std::string("done"));
    QCOMPARE(cases(), std::string("late_send open 10000 1"));
}

void CasesTest::aSendBeforeATakeoverIsNotLate()
{
    const Wanted paid = m_books->sent("1", 10'000);
    m_books->sql("update tekil.idempotency_record set lease_epoch = 2");
    m_books->sql(
        "insert into tekil.key_event (merchant_id, idempotency_key, operation_id, kind, at) select merchant_id, "
        "idempotency_key, operation_id, 'takeover', clock_timestamp() + interval '30 seconds' from "
        "tekil.idempotency_record");
    QCOMPARE(m_books->finish({.id = paid.id, .proof = "captured", .sentAfterUs = 500}), std::string("done"));
    QCOMPARE(cases(), std::string());
}

void CasesTest::anAnswerThatCannotBePostedIsACase()
{
    const Wanted paid = m_books->sent("1", 10'000);
    QCOMPARE(m_books->finish({.id = paid.id, .proof = "unknown", .reference = "r", .code = "posting_failed"}),
             std::string("done"));
    QCOMPARE(m_books->statusOf(paid.id), std::string("Unknown"));
    QCOMPARE(cases(), std::string("cannot_post open 10000 1"));
}

void CasesTest::whatPeopleResolvedIsNotOpenedAgainByTheSameTruth()
{
    const Wanted paid = failed("1");
    m_books->finish({.id = paid.id, .proof = "captured", .reference = "late"});
    m_books->sql("update tekil.reconciliation_case set state = 'resolved', resolved_at = clock_timestamp()");
    m_books->finish({.id = paid.id, .proof = "captured", .reference = "late"});
    QCOMPARE(cases(), std::string("late_capture resolved 10000 1"));
    m_books->finish({.id = paid.id, .proof = "captured", .reference = "another"});
    QCOMPARE(cases(), std::string("late_capture resolved 10000 1, late_capture open 10000 1"));
}

void CasesTest::twoTellersAtOnceMakeOneCase()
{
    const Wanted paid = failed("1");
    std::vector<std::future<void>> running;
    for (int i = 0; i < 4; ++i)
        running.push_back(std::async(std::launch::async, [this, &paid] {
            db::Connection own = connectTo(m_books->database);
            for (int times = 0; times < 20; ++times)
                must(own.exec("select tekil.open_cases(array['late_capture'], array['" + paid.id.text()
                              + "'::uuid], array['late'], array['{}'::jsonb], '" + m_books->instance.text() + "')"));
        }));
    for (auto& each : running)
        each.get();
    QCOMPARE(cases(), std::string("late_capture open 10000 1"));
}

void CasesTest::verifyNamesAContradictionWithoutItsCase()
{
    const Wanted paid = failed("1");
    m_books->sql(
        "insert into tekil.key_event (merchant_id, idempotency_key, operation_id, kind, facts) select merchant_id, "
        "idempotency_key, operation_id, 'lease_lost', '{\"proof\":\"captured\"}' from tekil.idempotency_record");
    QCOMPARE(verify(), std::string("is Failed and was captured later, without a case"));
    m_books->finish({.id = paid.id, .proof = "captured"}); // sets it right
}

TEKIL_TEST(CasesTest)
#include "cases_test.moc"
