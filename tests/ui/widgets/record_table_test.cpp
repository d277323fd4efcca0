// The table as a reader meets it: pixels, keys, copies, and the place that live data must not take away.
#include "tests/support/test_main.h"
#include "tests/support/ui_application.h"
#include "tests/ui/widgets/sample_records.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/format.h"
#include "ui/widgets/record_table.h"
#include "ui/widgets/record_view.h"
#include "ui/widgets/table_notice.h"

#include <QAbstractItemModelTester>
#include <QAccessible>
#include <QClipboard>
#include <QGuiApplication>
#include <QMenu>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>

namespace tekil::ui {

using namespace Qt::Literals::StringLiterals;

namespace {

struct Desk {
    SampleRecords model;
    RecordTable table{u"Payments"_s};

    explicit Desk(int rows, QSize size = {800, 600}) : model(rows)
    {
        table.resize(size);
        table.setModel(&model);
        table.show();
        QVERIFY(QTest::qWaitForWindowExposed(&table));
        table.setFocus();
    }
    QRect rowOnScreen(int row) const
    {
        const auto* view = table.mainView();
        return {0, view->horizontalHeader()->height() + view->rowViewportPosition(row), table.width(),
                view->rowHeight(row)};
    }
    QString topId() const { return model.recordId(table.mainView()->rowAt(0)); }
};

int rightmostInk(const QImage& image, const QRect& area, const QColor& paper)
{
    for (int x = area.right(); x >= area.left(); --x)
        for (int y = area.top(); y <= area.bottom(); ++y)
            if (image.pixelColor(x, y).lightness() < paper.lightness() - 90)
                return x;
    return -1;
}

} // namespace

class RecordTableTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { setFormatter(Formatter(Language::English, QTimeZone("Europe/Istanbul"))); }

    void theModelKeepsQtsRules()
    {
        SampleRecords model(20);
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.insert(3, {SampleRecords::sample(90)});
        model.remove(0, 2);
    }
    void onlyUnknownCarriesItsHue()
    {
        Desk desk(20);
        const QImage image = test::imageOf(desk.table);
        const Tokens& t = tokensOf(Theme::Light);
        QVERIFY(test::pixelsOf(image, t.unknown, desk.rowOnScreen(5)) > 30);
        QCOMPARE(test::pixelsOf(image, t.unknown, desk.rowOnScreen(1)), 0);
        QCOMPARE(test::pixelsOf(image, t.completed), 0); // settled states are grey in a list
    }
    void oldDataIsGreyAndHatched()
    {
        Desk desk(20);
        const int white = test::pixelsOf(test::imageOf(desk.table), tokensOf(Theme::Light).base);
        setCurrent(&desk.table, false);
        const QImage image = test::imageOf(desk.table);
        const Tokens& t = tokensOf(Theme::Light);
        for (const QColor& hue : {t.unknown, t.failed, t.processing, t.warning})
            QCOMPARE(test::pixelsOf(image, hue), 0);
        QVERIFY(test::pixelsOf(image, t.base) < white - 1000);
    }
    void moneyStandsRightAlignedInEveryRow()
    {
        Desk desk(9);
        const QImage image = test::imageOf(desk.table);
        const int left = desk.table.mainView()->columnViewportPosition(2),
                  width = desk.table.mainView()->columnWidth(2);
        QSet<int> edges;
        for (int row = 0; row < 9; ++row) {
            const QRect cell(left, desk.rowOnScreen(row).top() + 2, width, 24);
            edges << rightmostInk(image, cell, tokensOf(Theme::Light).base);
        }
        QVERIFY(!edges.contains(-1));
        QVERIFY2(*std::max_element(edges.begin(), edges.end()) - *std::min_element(edges.begin(), edges.end()) <= 1,
                 "amounts end within one pixel of each other");
    }
    void cellsSpeakForScreenReaders()
    {
        SampleRecords model(20);
        QCOMPARE(model.index(5, 0).data(Qt::AccessibleTextRole).toString(), u"State: Unknown"_s);
        QCOMPARE(model.index(12, 0).data(Qt::AccessibleTextRole).toString(), u"State: Unknown, a request is waiting"_s);
        QCOMPARE(model.index(0, 2).data(Qt::AccessibleTextRole).toString(), u"Amount: 2,480.00 TRY"_s);
        QCOMPARE(model.index(0, 1).data(Qt::AccessibleTextRole).toString(),
                 u"Payment: 019cbdae-17be-7d51-84cb-d30304861d02"_s);
        QCOMPARE(model.index(0, 1).data().toString(), u"…04861d02"_s);
    }
    void absenceIsADash()
    {
        SampleRecords model;
        SampleRecords::Row row = SampleRecords::sample(0);
        row.merchant.clear();
        row.minor = 0;
        model.insert(0, {row});
        QCOMPARE(model.index(0, 7).data().toString(), u"–"_s);
        QCOMPARE(model.index(0, 2).data().toString(), u"0.00"_s);
    }
    void sortingIsAskedForOnlyWhereTheServerOffersIt()
    {
        Desk desk(20);
        QSignalSpy sort(&desk.table, &RecordTable::sortRequested);
        auto* head = desk.table.mainView()->horizontalHeader();
        const auto click = [&](int column) {
            QTest::mouseClick(head->viewport(), Qt::LeftButton, {}, {head->sectionViewportPosition(column) + 20, 10});
        };
        click(4);
        QCOMPARE(sort.count(), 1);
        QCOMPARE(sort.first().at(0).toString(), u"created"_s);
        QCOMPARE(sort.first().at(1).value<Qt::SortOrder>(), Qt::DescendingOrder);
        click(4);
        QCOMPARE(sort.last().at(1).value<Qt::SortOrder>(), Qt::AscendingOrder);
        click(5);
        QCOMPARE(sort.count(), 2);
    }
    void keysMoveThroughTheRows()
    {
        Desk desk(100);
        auto* view = desk.table.mainView();
        QSignalSpy activated(&desk.table, &RecordTable::activated);
        QTest::keyClick(view, Qt::Key_Home);
        QTest::keyClick(view, Qt::Key_J);
        QTest::keyClick(view, Qt::Key_Down);
        QCOMPARE(desk.table.currentId(), desk.model.recordId(2));
        QTest::keyClick(view, Qt::Key_K);
        QTest::keyClick(view, Qt::Key_Return);
        QCOMPARE(activated.last().at(0).toString(), desk.model.recordId(1));
        QTest::keyClick(view, Qt::Key_End);
        QCOMPARE(desk.table.currentId(), desk.model.recordId(99));
        QTest::keyClick(view, Qt::Key_Home, Qt::ShiftModifier);
        QCOMPARE(desk.table.currentId(), desk.model.recordId(0));
    }
    void copiesAreMadeForSheetsAndForMachines()
    {
        Desk desk(3);
        desk.model.resetWith({[] {
            SampleRecords::Row row = SampleRecords::sample(0);
            row.minor = -125'000;
            row.invoice = u"=cmd(\"x\"),1"_s;
            return row;
        }()});
        desk.table.select(desk.model.recordId(0));
        QTest::keyClick(desk.table.mainView(), Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QGuiApplication::clipboard()->text(),
                 u"Processing\t019cbdae-17be-7d51-84cb-d30304861d02\t-1250.00\tTRY\t"
                 "2026-03-05 14:21:57.902 +03\t'=cmd(\"x\"),1\tb1f0-88412\tbilet"_s);
        setFormatter(Formatter(Language::Turkish, QTimeZone("Europe/Istanbul")));
        QTest::keyClick(desk.table.mainView(), Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(QGuiApplication::clipboard()->text(),
                 u"State,Payment,Amount,Currency,Created,Invoice,Key,Merchant\r\n"
                 "Processing,019cbdae-17be-7d51-84cb-d30304861d02,-1250.00,TRY,2026-03-05T11:21:57.902000Z,"
                 "\"'=cmd(\"\"x\"\"),1\",b1f0-88412,bilet\r\n"_s);
    }
    void theSelectionSurvivesARefreshThatTakesAndBringsBackItsRow()
    {
        Desk desk(50);
        const QString id = desk.model.recordId(10);
        desk.table.select(id);
        const SampleRecords::Row row = desk.model.rows().at(10);
        desk.model.remove(8, 5);
        desk.model.insert(20, {row});
        QCOMPARE(desk.table.selectedIds(), QStringList{id});
        QCOMPARE(desk.table.currentId(), id);
        QVector<SampleRecords::Row> rows = desk.model.rows();
        std::reverse(rows.begin(), rows.end());
        desk.model.resetWith(rows);
        QCOMPARE(desk.table.selectedIds(), QStringList{id});
    }
    void rowsThatArriveAboveDoNotMoveTheReader()
    {
        Desk desk(500);
        auto* bar = desk.table.mainView()->verticalScrollBar();
        bar->setValue(100 * 28 + 5);
        QVERIFY(!desk.model.isFollowing());
        const QString top = desk.topId();
        QVector<SampleRecords::Row> fresh;
        for (int number = 1000; number < 1012; ++number)
            fresh << SampleRecords::sample(number);
        desk.model.insert(0, fresh);
        QCOMPARE(desk.topId(), top);
        QCOMPARE(bar->value(), 112 * 28 + 5);
        QCOMPARE(desk.table.frozenView()->verticalScrollBar()->value(), bar->value());
        desk.model.remove(0, 50);
        QCOMPARE(desk.topId(), top);
        bar->setValue(0);
        QVERIFY(desk.model.isFollowing());
        desk.model.insert(0, {SampleRecords::sample(2000)});
        QCOMPARE(bar->value(), 0); // at the top, the newest row is seen
    }
    void earlierRowsReadInAboveAWindowDoNotMoveTheReader()
    {
        Desk desk(500);
        desk.model.setAtHead(false);
        const QString top = desk.topId();
        desk.model.insert(0, {SampleRecords::sample(900), SampleRecords::sample(901)});
        QCOMPARE(desk.topId(), top);
    }
    void newRowsAreOfferedAndShownOnRequest()
    {
        Desk desk(500);
        desk.table.mainView()->verticalScrollBar()->setValue(2000);
        desk.model.setHeld(12);
        Button* chip = nullptr;
        for (Button* button : desk.table.findChildren<Button*>())
            if (button->text().startsWith(u"12"))
                chip = button;
        QVERIFY(chip && chip->isVisible());
        chip->click();
        QVERIFY(!chip->isVisible());
        QCOMPARE(desk.table.mainView()->verticalScrollBar()->value(), 0);
    }
    void anErrorNeverLooksLikeAnEmptyTable()
    {
        Desk desk(0);
        desk.table.setEmptyText({EmptyText::Kind::NothingMatches, u"No payment matches state:unknown."_s,
                                 u"Clear the filter."_s, u"Clear filter"_s});
        auto* notice = desk.table.findChild<TableNotice*>();
        QVERIFY(notice->isVisible());
        QCOMPARE(notice->what(), u"No payment matches state:unknown."_s);
        const Tokens& t = tokensOf(Theme::Light);
        QCOMPARE(test::pixelsOf(test::imageOf(desk.table), t.failed), 0);
        desk.model.setStatus({RecordStatus::Kind::Failed, u"Stopped: the search took longer than 5 s."_s,
                              u"Narrow the filter."_s, u"57014"_s});
        QCOMPARE(notice->what(), u"Stopped: the search took longer than 5 s."_s);
        QVERIFY(test::pixelsOf(test::imageOf(desk.table), t.failed) > 10);
        desk.model.insert(0, {SampleRecords::sample(1)});
        QVERIFY(!notice->isVisible()); // old rows stay, the band above them tells
        QVERIFY(test::pixelsOf(test::imageOf(desk.table), t.tintFailed) > 1000);
    }
    void aChangeUnderTheReaderIsMarked()
    {
        Desk desk(20);
        const Tokens& t = tokensOf(Theme::Light);
        QCOMPARE(test::pixelsOf(test::imageOf(desk.table), t.hover, desk.rowOnScreen(3)), 0);
        desk.model.setState(3, Shape::Completed);
        QVERIFY(test::pixelsOf(test::imageOf(desk.table), t.hover, desk.rowOnScreen(3)) > 1000);
        QTest::qWait(2700);
        QCOMPARE(test::pixelsOf(test::imageOf(desk.table), t.hover, desk.rowOnScreen(3)), 0);
    }
    void theFocusRingIsThereOnlyWhileFocused()
    {
        Desk desk(20);
        const Tokens& t = tokensOf(Theme::Light);
        desk.table.select(desk.model.recordId(2));
        QVERIFY(desk.table.mainView()->hasFocus());
        QVERIFY(test::pixelsOf(test::imageOf(desk.table), t.focus, desk.rowOnScreen(2)) > 1500);
        desk.table.mainView()->clearFocus();
        const QImage image = test::imageOf(desk.table);
        QCOMPARE(test::pixelsOf(image, t.focus), 0);
        QCOMPARE(image.pixelColor(1, desk.rowOnScreen(2).center().y()), t.ink); // the bar stays
    }
    void theLeastColumnGoesWhenThePageIsNarrow()
    {
        Desk desk(20, {900, 400});
        QVERIFY(desk.table.isColumnShown(u"merchant"_s));
        desk.table.resize(700, 400);
        QCoreApplication::processEvents();
        QVERIFY(!desk.table.isColumnShown(u"merchant"_s));
        QVERIFY(desk.table.isColumnShown(u"key"_s));
        desk.table.resize(900, 400);
        QCoreApplication::processEvents();
        QVERIFY(desk.table.isColumnShown(u"merchant"_s));
    }
    void columnsAreKeptForTheseColumnsOnly()
    {
        {
            Desk desk(5, {900, 400});
            desk.table.setStateKey(u"test"_s);
            desk.table.setColumnHidden(u"invoice"_s, true);
            desk.table.setColumnHidden(u"id"_s, true); // names the record: stays
            desk.table.setColumnHidden(u"amount"_s, true);
        }
        Desk desk(5, {900, 400});
        desk.table.setStateKey(u"test"_s);
        QCOMPARE(desk.table.shownColumns(), (QStringList{u"state"_s, u"id"_s, u"created"_s, u"key"_s, u"merchant"_s}));
        desk.table.resetColumns();
        QCOMPARE(desk.table.shownColumns().size(), 8);
    }
    void theChooserNamesEveryColumn()
    {
        Desk desk(5, {900, 400});
        QStringList names;
        for (const QAction* action : desk.table.columnMenu()->actions())
            if (!action->isSeparator())
                names << action->text();
        QCOMPARE(names, (QStringList{u"State"_s, u"Payment"_s, u"Amount"_s, u"Created"_s, u"Invoice"_s, u"Key"_s,
                                     u"Merchant"_s, u"Reset columns"_s}));
    }
};

} // namespace tekil::ui

using tekil::ui::RecordTableTest;
TEKIL_TEST(RecordTableTest)
#include "record_table_test.moc"
