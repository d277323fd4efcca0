// tekil.verify finds each kind of tampering, under the right check and by the right row.
#include "tests/db/payments/books.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace tekil;
using namespace tekil::test;

class VerifyTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void untouchedBooksHold();
    void tamperingIsFound_data();
    void tamperingIsFound();
};

namespace {

// One payment of each state, and one that was declined before anything was sent.
struct EveryState {
    EveryState()
    {
        for (const auto& [payment, proof] :
             {std::pair{completed, "captured"}, {failed, "declined"}, {unknown, "unknown"}})
            if (books.finish({.id = payment.id, .proof = proof, .code = "test"}) != "done")
                qFatal("the books cannot be seeded");
        const Wanted poor{.key = "poor", .invoice = "poor", .amountMinor = 99'999'999};
        books.claim({poor});
        books.accept({poor});
    }

    Books books{100'000};
    const Wanted completed = books.sent("completed", 10'000);
    const Wanted failed = books.sent("failed", 5'000);
    const Wanted unknown = books.sent("unknown", 2'000);
    const Wanted processing = books.sent("processing", 1'000);
};

} // namespace

void VerifyTest::untouchedBooksHold()
{
    EveryState state;
    const auto checks = must(ledger::verify(state.books.engine));
    QCOMPARE(checks.size(), std::size_t(7));
    for (const auto& check : checks)
        QVERIFY2(check.problems.empty(),
                 (check.name + ": " + (check.problems.empty() ? "" : check.problems[0].what)).c_str());
    QCOMPARE(state.books.judge(), std::string());
}

// In the SQL, {completed} and its like stand for that payment's id, {account} for the payer's account.
void VerifyTest::tamperingIsFound_data()
{
    QTest::addColumn<QByteArray>("sql");
    QTest::addColumn<QByteArray>("check");
    QTest::addColumn<QByteArray>("subject");
    const auto row = [](const char* name, const char* sql, const char* check, const char* subject) {
        QTest::newRow(name) << QByteArray(sql) << QByteArray(check) << QByteArray(subject);
    };
    row("a balance raised",
        "update tekil.account set available_minor = available_minor + 1 where account_id = {account}", "balances",
        "account {account}");
    row("a system account's balance changed",
        "update tekil.account set available_minor = available_minor - 1 where purpose = 'funding'", "balances",
        "account ");
    row("money moved between two accounts without an entry",
        "update tekil.account set available_minor = available_minor - case when account_id = {account} then 5 else -5 "
        "end "
        "where account_id = {account} or purpose = 'collection'",
        "balances", "account {account}");
    row("a funding's entries deleted",
        "delete from tekil.ledger_entry where transaction_id in (select transaction_id from "
        "tekil.ledger_transaction where kind = 'funding')",
        "zero sums", "transaction ");
    row("an entry changed",
        "update tekil.ledger_entry set amount_minor = amount_minor + 1 where transaction_id = '{completed}' and line = "
        "2",
        "zero sums", "transaction {completed}");
    row("an entry deleted", "delete from tekil.ledger_entry where transaction_id = '{completed}' and line = 1",
        "zero sums", "transaction {completed}");
    row("money no longer reserved",
        "update tekil.account set available_minor = available_minor + 1000, reserved_minor = reserved_minor - 1000 "
        "where account_id = {account}",
        "reservations", "account {account}");
    row("an Unknown payment's reservation released",
        "update tekil.balance_reservation set status = 'Released', ended_at = now() "
        "where operation_id = '{unknown}'",
        "reservations", "payment {unknown}");
    row("a reservation deleted", "delete from tekil.balance_reservation where operation_id = '{completed}'",
        "reservations", "payment {completed}");
    row("a reservation of other money",
        "update tekil.balance_reservation set amount_minor = 9999 where operation_id = '{completed}'", "reservations",
        "payment {completed}");
    row("a charge deleted", "delete from tekil.ledger_transaction where transaction_id = '{completed}'",
        "single effect", "payment {completed}");
    row("a second charge",
        "insert into tekil.ledger_transaction values ('00000000-0000-4000-8000-000000000009', 'funding', null, null, "
        "'x', now()); "
        "alter table tekil.ledger_transaction drop constraint ledger_transaction_check, "
        "drop constraint ledger_transaction_check1; update tekil.ledger_transaction set kind = 'charge', operation_id "
        "= '{completed}' "
        "where transaction_id = '00000000-0000-4000-8000-000000000009'",
        "single effect", "payment {completed}");
    row("a charge of a Failed payment",
        "insert into tekil.ledger_transaction values ('{failed}', 'charge', '{failed}', null, 'x', now())",
        "single effect", "payment {failed}");
    row("a charge that credits the payer's neighbour",
        "update tekil.ledger_entry set account_id = (select account_id from tekil.account "
        "where purpose = 'funding') where transaction_id = '{completed}' and line = 2",
        "single effect", "payment {completed}");
    row("a payment's amount changed", "update tekil.payment set amount_minor = 9000 where operation_id = '{completed}'",
        "single effect", "payment {completed}");
    row("a record that says another state",
        "update tekil.idempotency_record set status = 'Failed' where operation_id = '{completed}'", "single effect",
        "record {completed}");
    row("a payment deleted", "delete from tekil.payment where operation_id = '{completed}'", "single effect",
        "record {completed}");
    row("an invoice paid twice", "update tekil.payment set invoice_id = 'completed' where operation_id = '{unknown}'",
        "single effect", "invoice completed");
    row("a Failed payment made Completed",
        "update tekil.payment set status = 'Completed', decline_code = null where operation_id = '{failed}'",
        "transitions", "payment {failed}");
    row("an Unknown payment made Processing",
        "update tekil.payment set status = 'Processing' where operation_id = '{unknown}'", "transitions",
        "payment {unknown}");
    row("a history deleted", "delete from tekil.payment_state_change where operation_id = '{completed}'", "transitions",
        "payment {completed}");
    row("a history with a gap",
        "update tekil.payment_state_change set from_status = 'Unknown' where operation_id = '{completed}'",
        "transitions", "payment {completed}");
    row("a way out of an end",
        "insert into tekil.payment_state_change values ('{failed}', 99, 'Unknown', 'Completed', 'x', null, now())",
        "transitions", "payment {failed}");
}

void VerifyTest::tamperingIsFound()
{
    QFETCH(QByteArray, sql);
    QFETCH(QByteArray, check);
    QFETCH(QByteArray, subject);
    EveryState state;
    const auto filled = [&state](QByteArray text) {
        return text.replace("{completed}", state.completed.id.text().c_str())
            .replace("{failed}", state.failed.id.text().c_str())
            .replace("{unknown}", state.unknown.id.text().c_str())
            .replace("{account}", QByteArray::number(static_cast<qint64>(state.books.account)))
            .toStdString();
    };
    state.books.sql("set session_replication_role = replica; "
                    + filled(sql)); // no trigger and no foreign key stands in the way
    bool found = false;
    std::string told;
    for (const auto& each : must(ledger::verify(state.books.engine)))
        for (const auto& problem : each.problems) {
            told += each.name + ": " + problem.subject + " " + problem.what + "\n";
            found = found || (each.name == check.toStdString() && problem.subject.starts_with(filled(subject)));
        }
    QVERIFY2(found, told.c_str());
    QVERIFY2(!state.books.judge().empty(), "the bookkeeper finds nothing");
}

TEKIL_TEST(VerifyTest)
#include "verify_test.moc"
