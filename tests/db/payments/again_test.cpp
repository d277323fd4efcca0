// The same request again: after defaults have changed it is a replay, and after a refusal before its claim it runs.
#include "tests/db/payments/pipeline_desk.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace tekil;
using namespace tekil::test;

class AgainTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aRetryReplaysAfterEveryDefaultHasChanged();
    void aFullEngineRefusesBeforeTheClaimAndTheKeyRunsLater();
};

// B18: the defaults that the first request got are in its record, not in the fingerprint.
void AgainTest::aRetryReplaysAfterEveryDefaultHasChanged()
{
    Desk desk(100'000);
    const Answer first = desk.till->pay({.invoice = "1"});
    QCOMPARE(first.status, 201);
    const std::int64_t other = desk.account(100'000);
    must(providers::addProvider(desk.books.owner, {.name = "another", .url = desk.bank->url(), .canInquiry = true}));
    desk.books.sql("update tekil.merchant set default_account_id = " + std::to_string(other)
                   + ", default_provider_id = (select provider_id from tekil.provider where name = 'another'), "
                     "key_retention = '72 hours', amount_limit = 100");
    for (int i = 0; i < 2; ++i) {
        const Answer again = desk.till->pay({.invoice = "1"});
        QVERIFY(again.replayed);
        QCOMPARE(again.status, 201);
        QCOMPARE(again.body, first.body);
        desk.till = std::make_unique<Till>(desk.books, desk.books.database.dsn()); // and after a restart
    }
    QCOMPARE(desk.bank->counts().requests, std::uint64_t(1));
    // A new request gets the new defaults.
    QCOMPARE(desk.till->pay({.invoice = "2"}).status, 201);
    QCOMPARE(
        desk.books.sql("select count(distinct account_id) || ' ' || count(distinct provider_id) from tekil.payment"),
        std::string("2 2"));
    QCOMPARE(desk.books.judge(), std::string());
}

// B20
void AgainTest::aFullEngineRefusesBeforeTheClaimAndTheKeyRunsLater()
{
    Desk desk(100'000);
    desk.till = std::make_unique<Till>(desk.books, desk.books.database.dsn(), 2);
    QVERIFY(desk.bank->setScript(R"({"rules":[{"do":"delay","ms":60000}]})").ok());
    auto first = desk.till->submit({.invoice = "1"});
    auto second = desk.till->submit({.invoice = "2"});
    QVERIFY(desk.becomes("select count(*) from tekil.provider_attempt where state = 'open'", "2"));
    for (int i = 0; i < 3; ++i) {
        const Answer refused = desk.till->pay({.invoice = "3"});
        QVERIFY(refused.kind == Answer::Kind::Refused && refused.error.code == ErrorCode::Overloaded);
    }
    QCOMPARE(desk.books.sql("select count(*) from tekil.idempotency_record"), std::string("2"));
    QVERIFY(desk.bank->setScript("{}").ok());
    QVERIFY(desk.becomes("select count(*) from tekil.payment where status = 'Unknown'", "2")); // the bank stays silent
    QVERIFY(first.get().kind == Answer::Kind::Pending);
    QVERIFY(second.get().kind == Answer::Kind::Pending);
    QCOMPARE(desk.till->pay({.invoice = "3"}).status, 201);
    QVERIFY(desk.till->pay({.invoice = "3"}).replayed);
    QCOMPARE(desk.books.sql("select count(*) from tekil.payment where invoice_id = '3'"), std::string("1"));
    QCOMPARE(desk.books.judge(), std::string());
}

TEKIL_TEST(AgainTest)
#include "again_test.moc"
