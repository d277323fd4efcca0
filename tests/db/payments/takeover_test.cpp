// Leases by the engine's own statements: one taker an expired lease, epochs that only rise, times by the database's
// clock, places by provider, and what may never be sent again.
#include "tests/db/payments/books.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <future>
#include <set>

using namespace tekil;
using namespace tekil::test;

namespace {

using namespace std::chrono_literals;
using Numbers = std::vector<std::int64_t>;

bool waitForALock(const Books& books)
{
    for (int i = 0; i < 1000; ++i) {
        if (books.sql("select count(*) from pg_stat_activity where wait_event_type = 'Lock'") != "0")
            return true;
        std::this_thread::sleep_for(10ms);
    }
    return false;
}

} // namespace

class TakeoverTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_books = std::make_unique<Books>(100'000); }
    void cleanup() { QCOMPARE(m_books->judge(), std::string()); }

    void ofTwentyTakersOneGetsTheLease();
    void aLeaseCountsFromWhenItsLockWasHad_data();
    void aLeaseCountsFromWhenItsLockWasHad();
    void whatHasEndedIsNeverTaken();
    void eachProviderHasItsOwnPlaces();
    void processingComesBeforeUnknown();
    void whatTheEngineStillHoldsIsLeftToIt();
    void aResendHasTheBytesOfTheFirstAttempt();
    void nothingIsSentAgainAfterTheKeyWindow();
    void nothingIsSentAgainAfterTheSendDeadline();
    void aNotFoundCountsOnlyWhereItIsAskedForAfterEveryGrace();

private:
    db::Rows take(db::Connection& connection, const Numbers& providers = {}, const Numbers& places = {},
                  const std::vector<Uuid>& mine = {})
    {
        db::Params params;
        params.add(Uuid::next()).add("30 s").add(100).add(mine).add(providers).add(places);
        return must(connection.run(sql::recovery::takeOver, params));
    }
    void expire()
    {
        m_books->sql("update tekil.idempotency_record set locked_until = clock_timestamp() - interval '1 s' where "
                     "status in ('Processing', 'Unknown')");
    }

    std::unique_ptr<Books> m_books;
};

// B32
void TakeoverTest::ofTwentyTakersOneGetsTheLease()
{
    const Wanted paid = m_books->sent("1", 1'000);
    std::vector<db::Connection> takers;
    for (int i = 0; i < 20; ++i)
        takers.push_back(connectTo(m_books->database));
    std::int64_t epoch = 1;
    for (int round = 0; round < 25; ++round) {
        expire();
        std::vector<std::future<std::int64_t>> running;
        for (db::Connection& taker : takers)
            running.push_back(std::async(std::launch::async, [&] {
                const db::Rows rows = take(taker);
                return rows.count() == 1 ? rows.int64(0, 1) : std::int64_t(0);
            }));
        int winners = 0;
        for (auto& each : running)
            if (const std::int64_t got = each.get(); got > 0) {
                ++winners;
                QCOMPARE(got, ++epoch);
            }
        QCOMPARE(winners, 1);
    }
    QCOMPARE(m_books->sql("select count(*) from tekil.key_event where kind = 'takeover'"), std::string("25"));
}

void TakeoverTest::aLeaseCountsFromWhenItsLockWasHad_data()
{
    QTest::addColumn<bool>("renews");
    QTest::newRow("renewal") << true;
    QTest::newRow("attempt") << false;
}

// B34: now() is the start of the transaction, and the lock may have been waited for since.
void TakeoverTest::aLeaseCountsFromWhenItsLockWasHad()
{
    QFETCH(bool, renews);
    const Wanted waiting{.key = "K", .invoice = "1", .amountMinor = 1'000};
    QCOMPARE(m_books->claim({waiting}), 1);
    m_books->accept({waiting});
    expire();
    db::Connection other = connectTo(m_books->database);
    auto holding = must(db::Transaction::begin(other));
    must(holding.exec("select from tekil.idempotency_record for no key update"));
    auto run = std::async(std::launch::async, [&] {
        if (!renews)
            return m_books->openAttempt(waiting.id).empty() ? 0 : 1;
        db::Params params;
        params.add(std::vector<Uuid>{waiting.id}).add(Numbers{1}).add("30 s");
        return must(m_books->engine.run(sql::payments::renewLeases, params)).count();
    });
    QVERIFY(waitForALock(*m_books));
    m_books->sql("create table public.released as select clock_timestamp() as at");
    QVERIFY(holding.commit().ok());
    QCOMPARE(run.get(), 1);
    QCOMPARE(m_books->sql("select (locked_until >= at + interval '30 seconds')::text from tekil.idempotency_record, "
                          "public.released"),
             std::string("true"));
}

// B54
void TakeoverTest::whatHasEndedIsNeverTaken()
{
    for (const char* proof : {"captured", "declined"}) {
        const Wanted paid = m_books->sent(proof, 1'000);
        QCOMPARE(m_books->finish({.id = paid.id, .proof = proof}), std::string("done"));
    }
    const std::string messages = m_books->sql("select count(*) from tekil.outbox_message");
    m_books->sql("update tekil.idempotency_record set locked_until = clock_timestamp() - interval '1 day'");
    for (int i = 0; i < 10; ++i)
        QCOMPARE(take(m_books->engine).count(), 0);
    QCOMPARE(m_books->sql("select count(*) from tekil.outbox_message"), messages);
}

void TakeoverTest::eachProviderHasItsOwnPlaces()
{
    const std::int64_t other = must(providers::addProvider(
        m_books->owner, {.name = "other", .url = "http://127.0.0.1:1", .canIdempotent = true, .canInquiry = true}));
    for (int i = 0; i < 6; ++i)
        m_books->sent(std::to_string(i), 1'000);
    m_books->sql("update tekil.idempotency_record set provider_id = " + std::to_string(other)
                 + " where idempotency_key in ('key-4', 'key-5')");
    expire();
    const db::Rows rows = take(m_books->engine, {m_books->provider, other}, {3, 100});
    std::int64_t first = 0, second = 0;
    for (int row = 0; row < rows.count(); ++row)
        (rows.int64(row, 5) == other ? second : first) += 1;
    QCOMPARE(first, std::int64_t(3));
    QCOMPARE(second, std::int64_t(2));
    QCOMPARE(take(m_books->engine, {m_books->provider}, {0}).count(), 0);
}

void TakeoverTest::processingComesBeforeUnknown()
{
    const Wanted unknown = m_books->sent("1", 1'000);
    QCOMPARE(m_books->finish({.id = unknown.id, .proof = "unknown", .httpStatus = {}}), std::string("done"));
    const Wanted processing = m_books->sent("2", 1'000);
    expire();
    m_books->sql("update tekil.idempotency_record set locked_until = locked_until - interval '1 hour' where status = "
                 "'Unknown'");
    const db::Rows rows = take(m_books->engine, {m_books->provider}, {1});
    QCOMPARE(rows.count(), 1);
    QVERIFY(rows.uuid(0, 0) == processing.id);
}

void TakeoverTest::whatTheEngineStillHoldsIsLeftToIt()
{
    const Wanted paid = m_books->sent("1", 1'000);
    expire();
    QCOMPARE(take(m_books->engine, {}, {}, {paid.id}).count(), 0);
    QCOMPARE(take(m_books->engine).count(), 1);
}

// B49: rows that change meanwhile change no byte of what is sent again.
void TakeoverTest::aResendHasTheBytesOfTheFirstAttempt()
{
    const Wanted paid = m_books->sent("1", 1'000);
    QCOMPARE(m_books->finish({.id = paid.id, .proof = "unknown", .httpStatus = {}}), std::string("done"));
    m_books->sql("update tekil.payment set description = 'changed', invoice_id = 'changed'");
    m_books->sql("update tekil.payment set invoice_id = '1'");
    expire();
    const db::Rows rows = take(m_books->engine);
    QCOMPARE(rows.count(), 1);
    QCOMPARE(std::string(rows.text(0, 14)), m_books->sql("select request_body from tekil.provider_attempt"));
}

// B48: the provider may have forgotten the key, and the same request would be a new charge.
void TakeoverTest::nothingIsSentAgainAfterTheKeyWindow()
{
    const Wanted paid = m_books->sent("1", 1'000);
    QCOMPARE(m_books->finish({.id = paid.id, .proof = "unknown", .httpStatus = {}}), std::string("done"));
    m_books->sql("update tekil.provider set key_window = '1 second'");
    m_books->sql("update tekil.provider_attempt set started_at = started_at - interval '2 seconds'");
    expire();
    const db::Rows rows = take(m_books->engine);
    QCOMPARE(rows.count(), 1);
    QVERIFY(rows.boolean(0, 16)); // the window is over: recovery asks, and does not send
    QCOMPARE(m_books->openAttempt(paid.id, rows.int64(0, 1)), std::string()); // and could not
    QCOMPARE(m_books->sql("select count(*) from tekil.provider_attempt"), std::string("1"));
}

// B48: past the send deadline too.
void TakeoverTest::nothingIsSentAgainAfterTheSendDeadline()
{
    const Wanted paid = m_books->sent("1", 1'000);
    QCOMPARE(m_books->finish({.id = paid.id, .proof = "unknown", .httpStatus = {}}), std::string("done"));
    expire();
    QVERIFY(!take(m_books->engine).boolean(0, 16));
    m_books->sql("update tekil.provider set send_deadline = '1 second'");
    m_books->sql("update tekil.payment set created_at = created_at - interval '2 seconds'");
    expire();
    QVERIFY(take(m_books->engine).boolean(0, 16));
}

// B44: a charge may still be on its way while its send_before, the provider's time-out and its grace are not all over;
// "not found" counts from an inquiry that begins after them.
void TakeoverTest::aNotFoundCountsOnlyWhereItIsAskedForAfterEveryGrace()
{
    const Wanted paid = m_books->sent("1", 1'000);
    QCOMPARE(m_books->finish({.id = paid.id, .proof = "unknown", .httpStatus = {}}), std::string("done"));
    m_books->sql("update tekil.provider set timeout_ms = 2000, inquiry_grace = '3 seconds'");
    for (const auto& [since, counts] : {std::pair{"4 seconds", false}, std::pair{"6 seconds", true}}) {
        m_books->sql(std::string("update tekil.provider_attempt set send_before = clock_timestamp() - interval '")
                     + since + "'");
        expire();
        const db::Rows rows = take(m_books->engine);
        QCOMPARE(rows.count(), 1);
        QCOMPARE(rows.boolean(0, 17), counts);
    }
}

TEKIL_TEST(TakeoverTest)
#include "takeover_test.moc"
