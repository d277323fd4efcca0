// The window over a table of any size: its bounds, its answers out of time, and what a refresh leaves alone.
#include "tests/support/test_main.h"
#include "ui/db/keyset_model.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

#include <map>

namespace tekil::ui {

using namespace Qt::Literals::StringLiterals;

namespace {

// A table of numbered records, newest first, that answers when it is told to.
class FakeSource : public PageSource {
public:
    std::map<int, QString, std::greater<>> rows; // number and state
    QVector<PageRequest> asked;
    QVector<quint64> cancelled;

    explicit FakeSource(int count)
    {
        for (int i = 1; i <= count; ++i)
            rows[i] = u"Processing"_s;
    }
    void request(const PageRequest& request) override { asked << request; }
    void cancel(quint64 id) override { cancelled << id; }

    static RecordRow rowFor(int number, const QString& state)
    {
        return {u"id-%1"_s.arg(number), QString::number(number), {u"id-%1"_s.arg(number), state}, false};
    }
    void answerNext()
    {
        const PageRequest request = asked.takeFirst();
        Page page;
        page.requestId = request.id;
        const int from = request.cursor.toInt();
        QVector<RecordRow> match;
        for (const auto& [number, state] : rows) {
            const bool in = request.place == PageRequest::Place::Head
                            || (request.place == PageRequest::Place::From && number <= from)
                            || (request.place == PageRequest::Place::After && number < from)
                            || (request.place == PageRequest::Place::Before && number > from);
            if (in)
                match << rowFor(number, state);
        }
        page.more = match.size() > request.limit;
        page.rows = request.place == PageRequest::Place::Before
                        ? match.mid(std::max<qsizetype>(0, match.size() - request.limit))
                        : match.mid(0, request.limit);
        page.total = RecordTotal{static_cast<std::int64_t>(rows.size()), true};
        Q_EMIT pageReady(page);
    }
    void answerAll()
    {
        while (!asked.isEmpty())
            answerNext();
    }
    void failNext(const QString& what) { Q_EMIT pageFailed({asked.takeFirst().id, what, u"Try again."_s, u"57014"_s}); }
};

QVector<Column> columns()
{
    Column id, state;
    id.id = id.title = u"id"_s;
    id.kind = ColumnKind::Id;
    state.id = state.title = u"state"_s;
    return {id, state};
}

} // namespace

class KeysetModelTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void pagesFollowEachOtherWithoutAGap()
    {
        FakeSource source(450);
        KeysetModel model(columns(), &source);
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        tester.setUseFetchMore(false);
        model.setQuery({});
        source.answerAll();
        QCOMPARE(model.rowCount(), 200);
        while (model.canFetchMore({})) {
            model.fetchMore({});
            QVERIFY(!model.canFetchMore({})); // one question at a time
            source.answerAll();
        }
        QCOMPARE(model.rowCount(), 450);
        for (int row = 0; row < 450; ++row)
            QCOMPARE(model.recordId(row), u"id-%1"_s.arg(450 - row));
        QCOMPARE(model.total()->count, 450);
    }
    void theWindowNeverHoldsMoreThanItsRows()
    {
        FakeSource source(12'000);
        KeysetModel model(columns(), &source);
        model.setQuery({});
        source.answerAll();
        while (model.canFetchMore({})) {
            model.fetchMore({});
            source.answerAll();
            QVERIFY(model.rowCount() <= KeysetModel::kWindowRows);
        }
        QCOMPARE(model.recordId(model.rowCount() - 1), u"id-1"_s);
        QVERIFY(!model.atHead());
        QVERIFY(model.canFetchHead());
        while (model.canFetchHead()) {
            model.fetchHead();
            source.answerAll();
            QVERIFY(model.rowCount() <= KeysetModel::kWindowRows);
        }
        QVERIFY(model.atHead());
        QCOMPARE(model.recordId(0), u"id-12000"_s);
        QVERIFY(model.canFetchMore({}));
    }
    void aLateAnswerIsDropped()
    {
        FakeSource source(10);
        KeysetModel model(columns(), &source);
        model.setQuery({u"first"_s, {}, Qt::DescendingOrder});
        const quint64 first = source.asked.first().id;
        model.setQuery({u"second"_s, {}, Qt::DescendingOrder});
        QCOMPARE(source.cancelled, QVector<quint64>{first});
        source.answerNext();
        QCOMPARE(model.rowCount(), 0);
        QCOMPARE(model.status().kind, RecordStatus::Kind::Loading);
        source.answerNext();
        QCOMPARE(model.rowCount(), 10);
        QCOMPARE(model.status().kind, RecordStatus::Kind::Ready);
    }
    void aFailureKeepsTheRowsAndSaysWhatHappened()
    {
        FakeSource source(10);
        KeysetModel model(columns(), &source);
        model.setQuery({});
        source.answerAll();
        model.refresh();
        source.failNext(u"Stopped: the search took longer than 5 s."_s);
        QCOMPARE(model.rowCount(), 10);
        QCOMPARE(model.status().kind, RecordStatus::Kind::Failed);
        QCOMPARE(model.status().code, u"57014"_s);
        model.reload();
        source.answerAll();
        QCOMPARE(model.status().kind, RecordStatus::Kind::Ready);
    }
    void aRefreshIsADifferenceNeverAReset()
    {
        FakeSource source(50);
        KeysetModel model(columns(), &source);
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        tester.setUseFetchMore(false);
        model.setQuery({});
        source.answerAll();
        const QPersistentModelIndex kept = model.index(10, 0); // id-40
        QSignalSpy reset(&model, &QAbstractItemModel::modelReset), changed(&model, &QAbstractItemModel::dataChanged);
        source.rows.erase(45);
        source.rows[41] = u"Completed"_s;
        source.rows[51] = u"Processing"_s;
        model.refresh();
        source.answerAll();
        QCOMPARE(reset.count(), 0);
        QCOMPARE(changed.count(), 1);
        QCOMPARE(changed.first().at(0).toModelIndex().column(), 1);
        QCOMPARE(model.rowCount(), 50);
        QCOMPARE(model.recordId(0), u"id-51"_s);
        QVERIFY(kept.isValid());
        QCOMPARE(model.recordId(kept.row()), u"id-40"_s);
    }
    void anotherOrderMovesRowsAndKeepsTheirIndexes()
    {
        FakeSource source(5);
        KeysetModel model(columns(), &source);
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        tester.setUseFetchMore(false);
        model.setQuery({});
        source.answerAll();
        const QPersistentModelIndex kept = model.index(0, 0);
        model.setQuery({{}, {}, Qt::AscendingOrder});
        Page page;
        page.requestId = source.asked.takeFirst().id;
        for (int number = 1; number <= 5; ++number)
            page.rows << FakeSource::rowFor(number, u"Processing"_s);
        Q_EMIT source.pageReady(page);
        QCOMPARE(model.recordId(0), u"id-1"_s);
        QCOMPARE(kept.row(), 4);
    }
    void newRowsAreHeldBackWhileTheReaderIsAway()
    {
        FakeSource source(300);
        KeysetModel model(columns(), &source);
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        tester.setUseFetchMore(false);
        model.setQuery({});
        source.answerAll();
        model.setFollowing(false);
        for (int number = 301; number <= 312; ++number)
            source.rows[number] = u"Processing"_s;
        model.growHead();
        source.answerAll();
        QCOMPARE(model.heldBack(), 12);
        QCOMPARE(model.recordId(0), u"id-300"_s);
        source.rows[313] = u"Processing"_s;
        model.refresh(); // sees all thirteen, and holds them once
        source.answerAll();
        QCOMPARE(model.heldBack(), 13);
        model.showHeldBack();
        QCOMPARE(model.heldBack(), 0);
        for (int row = 0; row < 20; ++row)
            QCOMPARE(model.recordId(row), u"id-%1"_s.arg(313 - row));
        source.rows[314] = u"Processing"_s;
        model.growHead(); // at the top again: followed
        source.answerAll();
        QCOMPARE(model.recordId(0), u"id-314"_s);
    }
    void knownRowsAreUpdatedInPlaceAndOthersIgnored()
    {
        FakeSource source(10);
        KeysetModel model(columns(), &source);
        model.setQuery({});
        source.answerAll();
        RecordRow pending = FakeSource::rowFor(7, u"Unknown"_s);
        pending.pending = true;
        model.updateRows({pending, FakeSource::rowFor(99, u"Unknown"_s)});
        QCOMPARE(model.rowCount(), 10);
        QCOMPARE(model.raw(3, 1).toString(), u"Unknown"_s);
        QVERIFY(model.isPending(3));
    }
};

} // namespace tekil::ui

using tekil::ui::KeysetModelTest;
TEKIL_TEST(KeysetModelTest)
#include "keyset_model_test.moc"
