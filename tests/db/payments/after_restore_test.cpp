// A restored database before anybody uses it: whatever has not ended counts as perhaps sent, and never as unsent.
#include "tests/db/payments/books.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace tekil::test;

class AfterRestoreTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aClaimIsAcceptedAndCountsAsPerhapsSent();
    void aClaimThatCannotBeAcceptedIsKeptAndNeverFailed();
    void aPaymentThatWasAcceptedOnlyIsNotSentAsNew();
    void aClockBehindTheBackupIsRefused();

private:
    static std::string treat(const Books& books)
    {
        return books.sql("select concat_ws('/', claimed, kept, processing, unknown) "
                         "from tekil.after_restore('00000000-0000-4000-8000-000000000001')");
    }
    // What recovery goes by: attempts that may have arrived, and whether the lease is free.
    static std::string attempts(const Books& books)
    {
        return books.sql("select string_agg(attempt || ' ' || state || ' ' || why, ', ') from tekil.provider_attempt");
    }
};

void AfterRestoreTest::aClaimIsAcceptedAndCountsAsPerhapsSent()
{
    Books books(100'000);
    QCOMPARE(books.claim({{.key = "K", .invoice = "1", .amountMinor = 1'000}}), 1);
    QCOMPARE(treat(books), std::string("1/0/1/0"));
    QCOMPARE(attempts(books), std::string("1 no_answer restored"));
    QCOMPARE(books.balance(), std::string("99000/1000"));
    QCOMPARE(books.sql("select started_at = (select created_at from tekil.payment) and send_before > started_at "
                       "from tekil.provider_attempt"),
             std::string("t"));
    QCOMPARE(books.sql("select lease_epoch || ' ' || (lease_holder is null) || ' ' || (locked_until <= now()) "
                       "from tekil.idempotency_record"),
             std::string("2 true true"));
    QCOMPARE(books.judge(), std::string());
}

void AfterRestoreTest::aClaimThatCannotBeAcceptedIsKeptAndNeverFailed()
{
    Books books(500);
    QCOMPARE(books.claim({{.key = "K", .invoice = "1", .amountMinor = 1'000}}), 1);
    QCOMPARE(treat(books), std::string("1/1/0/0"));
    QCOMPARE(books.sql("select status || ' ' || (locked_until > now() + interval '100 years') "
                       "from tekil.idempotency_record"),
             std::string("Processing true"));
    QCOMPARE(books.sql("select count(*) from tekil.payment"), std::string("0"));
    QCOMPARE(books.balance(), std::string("500/0"));
}

void AfterRestoreTest::aPaymentThatWasAcceptedOnlyIsNotSentAsNew()
{
    Books books(100'000);
    const Wanted wanted{.key = "K", .invoice = "1", .amountMinor = 1'000};
    QCOMPARE(books.claim({wanted}), 1);
    QCOMPARE(books.accept({wanted}).front(), std::string("accepted"));
    QCOMPARE(treat(books), std::string("0/0/1/0"));
    QCOMPARE(attempts(books), std::string("1 no_answer restored"));
    // Whoever held it before is shut out.
    QCOMPARE(books.accept({wanted}).front(), std::string("lost"));
    QCOMPARE(books.judge(), std::string());
}

void AfterRestoreTest::aClockBehindTheBackupIsRefused()
{
    Books books(100'000);
    QCOMPARE(books.claim({{.key = "K", .invoice = "1", .amountMinor = 1'000}}), 1);
    books.sql("insert into tekil.key_event (merchant_id, idempotency_key, kind, at) select merchant_id, "
              "idempotency_key, 'claimed', clock_timestamp() + interval '1 hour' from tekil.idempotency_record");
    QCOMPARE(books.sql("do $$ begin perform tekil.after_restore('00000000-0000-4000-8000-000000000001'); "
                       "raise exception 'it went through' using errcode = 'P0001'; "
                       "exception when invalid_parameter_value then null; end $$"),
             std::string());
    QCOMPARE(books.sql("select count(*) from tekil.payment"), std::string("0"));
}

TEKIL_TEST(AfterRestoreTest)
#include "after_restore_test.moc"
