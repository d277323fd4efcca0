// What C++ and the database both know is the same: currencies, transitions, states, the text of an amount.
#include "core/base/currency.h"
#include "core/base/money.h"
#include "core/base/payment_state.h"
#include "tests/db/payments/books.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <limits>
#include <random>
#include <set>

using namespace tekil;
using namespace tekil::test;

class SharedWordsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void currenciesAreTheSameInSqlAndCpp();
    void transitionsAndEndsAreTheSameInSqlAndCpp();
    void anAmountHasOneTextInSqlAndCpp();

private:
    const TestDatabase m_database;
};

void SharedWordsTest::currenciesAreTheSameInSqlAndCpp()
{
    db::Connection connection = connectTo(m_database);
    const db::Rows rows = must(
        connection.exec("select code, exponent from tekil.currency order by code collate \"C\""));
    const auto known = allCurrencies();
    QCOMPARE(rows.count(), static_cast<int>(known.size()));
    for (int row = 0; row < rows.count(); ++row) {
        QCOMPARE(rows.text(row, 0), known[static_cast<std::size_t>(row)].code());
        QCOMPARE(rows.int64(row, 1), known[static_cast<std::size_t>(row)].exponent());
    }
}

void SharedWordsTest::transitionsAndEndsAreTheSameInSqlAndCpp()
{
    db::Connection connection = connectTo(m_database);
    std::set<std::pair<std::string, std::string>> inSql, inCpp;
    const db::Rows ways = must(connection.exec("select from_status, to_status from tekil.payment_transition"));
    for (int row = 0; row < ways.count(); ++row)
        inSql.emplace(ways.text(row, 0), ways.text(row, 1));
    for (const PaymentTransition& way : kPaymentTransitions)
        inCpp.emplace(nameOf(way.from), nameOf(way.to));
    QVERIFY(inSql == inCpp);
    const db::Rows states = must(connection.exec("select status, is_end from tekil.payment_status"));
    QCOMPARE(states.count(), static_cast<int>(kPaymentStates.size()));
    for (int row = 0; row < states.count(); ++row) {
        const auto state = paymentStateFromName(states.text(row, 0));
        QVERIFY(state.has_value());
        QCOMPARE(states.boolean(row, 1), isEnd(*state));
    }
}

void SharedWordsTest::anAmountHasOneTextInSqlAndCpp()
{
    std::mt19937_64 random(20261201);
    std::vector<std::int64_t> amounts{0,
                                      1,
                                      -1,
                                      9,
                                      10,
                                      99,
                                      100,
                                      999,
                                      1'000,
                                      9'007'199'254'740'993,
                                      std::numeric_limits<std::int64_t>::max(),
                                      std::numeric_limits<std::int64_t>::min()};
    while (amounts.size() < 5'000)
        amounts.push_back(static_cast<std::int64_t>(random()) >> (random() % 64)); // of every length
    db::Connection connection = connectTo(m_database);
    for (const int exponent : {0, 2, 3, 4}) {
        const db::Rows rows = must(connection.run(
            {"test.amount_text",
             "select tekil.amount_text(a, $2) from unnest($1::bigint[]) with ordinality as x (a, n) order by n"},
            db::Params().add(amounts).add(exponent)));
        for (int row = 0; row < rows.count(); ++row)
            QCOMPARE(std::string(rows.text(row, 0)),
                     decimalFromMinor(amounts[static_cast<std::size_t>(row)], exponent));
    }
}

TEKIL_TEST(SharedWordsTest)
#include "words_test.moc"
