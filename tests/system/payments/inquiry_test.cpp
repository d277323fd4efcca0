// B46, B47: a payment of which nothing came back is asked for by its own operation id, and the answer moves everything
// it concerns in one commit.
#include "tests/support/engine_lab.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace tekil::test;

namespace {

class InquiryTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatAnInquiryTellsMovesEverythingInOneCommit_data();
    void whatAnInquiryTellsMovesEverythingInOneCommit();
};

void InquiryTest::whatAnInquiryTellsMovesEverythingInOneCommit_data()
{
    QTest::addColumn<QString>("rule");
    QTest::addColumn<QString>("end");
    QTest::addColumn<int>("charged");
    QTest::newRow("captured") << R"({"do":"drop"})" << "Completed Finalized 2 2" << 1;
    QTest::newRow("declined") << R"({"do":"decline","ms":4000})" << "Failed Released 0 2" << 0;
}

void InquiryTest::whatAnInquiryTellsMovesEverythingInOneCommit()
{
    QFETCH(QString, rule);
    QFETCH(QString, end);
    QFETCH(int, charged);
    EngineLab lab({.capability = "inquiry", .providerArguments = {"--timeout", "1s", "--inquiry-grace", "1s"}});
    lab.script("{\"rules\":[" + rule.toStdString() + "]}");
    const std::string key = freshKey();
    const std::string body = payment("10.00");
    const Reply unknown = lab.post(body, key);
    QCOMPARE(unknown.member("status"), std::string("Unknown"));
    const std::string id = unknown.member("operationId");
    QVERIFY(lab.becomes("select (status <> 'Unknown')::text from tekil.payment", "true"));
    QCOMPARE(lab.sql("select p.status || ' ' || r.status || ' ' || "
                     "(select count(*) from tekil.ledger_entry where transaction_id = operation_id) || ' ' || "
                     "p.message_sequence - 1 "
                     "from tekil.payment p join tekil.balance_reservation r using (operation_id)"),
             end.toStdString());
    // Each row names the transaction that wrote it last.
    QCOMPARE(lab.sql("select count(distinct x.xmin::text)::text from (select xmin from tekil.payment "
                     "union all select xmin from tekil.balance_reservation "
                     "union all select xmin from tekil.idempotency_record "
                     "union all select xmin from tekil.ledger_transaction where operation_id is not null "
                     "union all (select xmin from tekil.payment_state_change order by version desc limit 1) "
                     "union all (select xmin from tekil.outbox_message order by sequence desc limit 1)) x"),
             std::string("1"));
    // The bank gave no id of its own before: it was asked for ours, the one that had been committed before the call.
    QCOMPARE(lab.chargesOf(id), charged);
    QCOMPARE(lab.sql("select request_body::jsonb ->> 'operationId' from tekil.provider_attempt"), id);
    QCOMPARE(lab.sql("select count(*) from tekil.provider_attempt"), std::string("1"));
    QCOMPARE(lab.judge(), std::string());
}

} // namespace

TEKIL_TEST(InquiryTest)
#include "inquiry_test.moc"
