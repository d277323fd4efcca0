// The running check of the books finds what tampering does, says so until it is put right, and is made by one at a
// time.
#include "tests/db/payments/books.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace Qt::Literals::StringLiterals;

namespace tekil::test {

namespace {

// The problems after one check that is due now; "none due" where nothing was checked.
std::string check(Books& books)
{
    books.sql("update tekil.books_turn set next_at = 'epoch'");
    const db::Rows rows = must(
        books.engine.run(sql::ledger::checkBooks, db::Params().add(books.instance).add("10 seconds")));
    if (rows.count() == 0)
        return "none due";
    return books.sql(
        "select coalesce(string_agg(kind || ' ' || subject || ': ' || problem, '; ' order by kind, subject), "
        "'') from console.books_problem");
}

void pass(Books& books, const std::string& invoice, const std::string& proof)
{
    const Wanted one = books.sent(invoice, 1'000);
    books.finish({.id = one.id, .proof = proof, .reference = "r", .code = "c"});
}

} // namespace

class BooksCheckTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void soundBooksBalanceAndTheCheckSaysHowMuchItLookedAt()
    {
        Books books(100'000);
        pass(books, "1", "captured");
        pass(books, "2", "declined");
        books.sent("3", 500);
        QCOMPARE(check(books), std::string());
        QCOMPARE(books.sql("select accounts || ' accounts, ' || entries || ' entries, ' || problems from "
                           "console.books_check order by ended_at desc limit 1"),
                 std::string("3 accounts, 4 entries, 0"));
        QCOMPARE(books.sql("select currency || ' ' || credit || ' ' || debit from console.books_total"),
                 std::string("TRY 100000 100000"));
    }

    void notDueIsNotChecked()
    {
        Books books(100);
        QCOMPARE(check(books), std::string());
        QCOMPARE(must(books.engine.run(sql::ledger::checkBooks, db::Params().add(books.instance).add("10 s"))).count(),
                 0);
    }

    void oneAtATimeAndNobodyWaits()
    {
        Books books(100'000);
        db::Connection other = connectTo(books.database);
        db::Transaction open = must(db::Transaction::begin(other));
        QCOMPARE(must(open.run(sql::ledger::checkBooks, db::Params().add(books.instance).add("0 s"))).count(), 1);
        must(books.engine.run({"test", "set lock_timeout = '2s'"}));
        QCOMPARE(must(books.engine.run(sql::ledger::checkBooks, db::Params().add(books.instance).add("0 s"))).count(),
                 0);
        // Payments go on beside an open check.
        pass(books, "1", "captured");
        QVERIFY(open.commit().ok());
    }

    void tampering_data()
    {
        QTest::addColumn<QString>("harm");
        QTest::addColumn<QString>("expected");
        QTest::addColumn<QString>("repair");
        QTest::newRow("a balance")
            << "update tekil.account set available_minor = available_minor + 7 where account_id = {}"
            << "account {}: balance 99007, entries say 99000"
            << "update tekil.account set available_minor = available_minor - 7 where account_id = {}";
        QTest::newRow("a reserved sum") << "update tekil.account set available_minor = available_minor - 7,"
                                           " reserved_minor = reserved_minor + 7 where account_id = {}"
                                        << "reserved {}: reserved 507, active reservations say 500"
                                        << "update tekil.account set available_minor = available_minor + 7,"
                                           " reserved_minor = reserved_minor - 7 where account_id = {}";
        QTest::newRow("an entry")
            << "set session_replication_role = replica; update tekil.ledger_entry set amount_minor ="
               " amount_minor - 7 where account_id = {} and amount_minor < 0"
            << "account {}: balance 99000, entries say 98993"
            << "set session_replication_role = replica; update tekil.ledger_entry set amount_minor ="
               " amount_minor + 7 where account_id = {} and amount_minor < 0";
    }
    void tampering()
    {
        QFETCH(QString, harm);
        QFETCH(QString, expected);
        QFETCH(QString, repair);
        Books books(100'000);
        const QString account = QString::number(books.account);
        pass(books, "1", "captured");
        books.sent("2", 500);
        QCOMPARE(check(books), std::string());
        books.sql(harm.replace(u"{}"_s, account).toStdString());
        const std::string found = check(books);
        QVERIFY2(found.find(expected.replace(u"{}"_s, account).toStdString()) != std::string::npos, found.c_str());
        QCOMPARE(check(books), found); // it is said until it holds again
        books.sql(repair.replace(u"{}"_s, account).toStdString());
        QCOMPARE(check(books), std::string());
    }

    void anUnbalancedTransactionIsNamed()
    {
        Books books(100'000);
        pass(books, "1", "captured");
        const std::string id = books.sql("select transaction_id from tekil.ledger_transaction where kind = 'charge'");
        books.sql(
            "set session_replication_role = replica; update tekil.ledger_entry set amount_minor = amount_minor - 1,"
            " posted_at = posted_at - interval '1 minute' where transaction_id = '"
            + id + "' and amount_minor > 0");
        const std::string found = check(books);
        QVERIFY2(found.find("transaction " + id + ": sums to -1 TRY") != std::string::npos, found.c_str());
    }

    // An entry may be committed after the checkpoint that should have had it: that is no alarm.
    void anEntryThatComesLateIsNoAlarm()
    {
        Books books(100'000);
        pass(books, "1", "captured");
        QCOMPARE(check(books), std::string());
        // As a large account stands between two full additions: only what came since its checkpoint is added.
        books.sql("update tekil.account_checkpoint set entries = 60000, whole_at = clock_timestamp()");
        books.sql("update tekil.books_turn set cursor_account = 0");
        pass(books, "2", "captured");
        books.sql(
            "set session_replication_role = replica; update tekil.ledger_entry set posted_at = posted_at - interval '1 "
            "hour' where transaction_id = (select operation_id from tekil.payment where invoice_id = '2')");
        QCOMPARE(check(books), std::string());
    }

    void betweenFullAdditionsOnlyWhatCameSinceIsAdded()
    {
        Books books(100'000);
        for (int i = 0; i < 5; ++i)
            pass(books, std::to_string(i), "captured");
        books.sql(
            "set session_replication_role = replica; update tekil.ledger_entry set posted_at = posted_at - interval '1 "
            "hour'");
        QCOMPARE(check(books), std::string());
        books.sql("update tekil.account_checkpoint set entries = 60000, whole_at = clock_timestamp()");
        books.sql("update tekil.books_turn set cursor_account = 0");
        pass(books, "new", "captured");
        QCOMPARE(check(books), std::string());
        QCOMPARE(books.sql("select entries from console.books_check order by ended_at desc limit 1"), std::string("2"));
    }
};

TEKIL_TEST(BooksCheckTest)

} // namespace tekil::test

#include "books_check_test.moc"
