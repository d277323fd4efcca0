// The inspector's parts, the fields and the frame: what they say, and what they let through.
#include "core/base/payment_state.h"
#include "tests/support/test_main.h"
#include "tests/support/ui_application.h"
#include "ui/widgets/action_bar.h"
#include "ui/widgets/count_tabs.h"
#include "ui/widgets/entries_block.h"
#include "ui/widgets/field.h"
#include "ui/widgets/format.h"
#include "ui/widgets/inspector_header.h"
#include "ui/widgets/message_band.h"
#include "ui/widgets/rail.h"
#include "ui/widgets/state_diagram.h"
#include "ui/widgets/timeline.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QSignalSpy>
#include <QTest>

namespace tekil::ui {

using namespace Qt::Literals::StringLiterals;

class PartsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { setFormatter(Formatter(Language::English, QTimeZone("Europe/Istanbul"))); }

    void theDiagramKnowsTakenOpenAndClosedWays()
    {
        using S = PaymentState;
        StateDiagram diagram;
        diagram.setWay({{{S::Processing, u"14:07"_s, {}}, {S::Unknown, u"14:07"_s, u"5.009 s"_s}}, {}});
        QCOMPARE(diagram.edgeOf({S::Processing, S::Unknown}), StateDiagram::Edge::Taken);
        QCOMPARE(diagram.edgeOf({S::Unknown, S::Completed}), StateDiagram::Edge::Possible);
        QCOMPARE(diagram.edgeOf({S::Unknown, S::Failed}), StateDiagram::Edge::Possible);
        QCOMPARE(diagram.edgeOf({S::Processing, S::Completed}), StateDiagram::Edge::Closed);
        diagram.setWay({{{S::Processing, u"14:07"_s, {}}}, {}});
        for (const PaymentTransition& row : kPaymentTransitions)
            QCOMPARE(diagram.edgeOf(row), StateDiagram::Edge::Possible);
        diagram.setWay({{{S::Processing, u"14:07"_s, {}}, {S::Completed, u"14:08"_s, u"1 s"_s}}, {}});
        QCOMPARE(diagram.edgeOf({S::Processing, S::Completed}), StateDiagram::Edge::Taken);
        QCOMPARE(diagram.edgeOf({S::Unknown, S::Failed}), StateDiagram::Edge::Closed);
    }
    void theDiagramLightsTheCurrentStateAndIsWalkedByKeys()
    {
        using S = PaymentState;
        StateDiagram diagram;
        diagram.setWay({{{S::Processing, u"14:07"_s, {}}, {S::Unknown, u"14:07"_s, u"5.009 s"_s}}, {}});
        diagram.resize(440, 118);
        diagram.show();
        QVERIFY(QTest::qWaitForWindowActive(&diagram));
        QVERIFY(test::pixelsOf(test::imageOf(diagram), tokensOf(Theme::Light).unknown) > 1000);
        QSignalSpy activated(&diagram, &StateDiagram::stateActivated);
        diagram.setFocus();
        QTest::keyClick(&diagram, Qt::Key_Right);
        QTest::keyClick(&diagram, Qt::Key_Right);
        QTest::keyClick(&diagram, Qt::Key_Return);
        QCOMPARE(activated.count(), 1);
        QCOMPARE(activated.first().at(0).value<S>(), S::Unknown);
        QVERIFY(diagram.accessibleDescription().startsWith(u"Unknown"));
    }
    void theIdIsCopiedWhole()
    {
        InspectorHeader header;
        InspectorHead head;
        head.shape = Shape::Unknown;
        head.id = u"019cbdae-17be-7d51-84cb-d30304861d02"_s;
        head.amount = {100'000, 2, u"TRY"_s};
        head.age = u"for 14 min 44 s"_s;
        header.setHead(head);
        QCOMPARE(header.accessibleName(), u"Unknown for 14 min 44 s, 1,000.00 TRY"_s);
        for (IconButton* button : header.findChildren<IconButton*>()) {
            QVERIFY(!button->accessibleName().isEmpty());
            if (button->accessibleName() == u"Copy the id")
                button->click();
        }
        QCOMPARE(QGuiApplication::clipboard()->text(), head.id);
    }
    void idleTimeIsFoldedAndOpens()
    {
        Timeline timeline;
        timeline.setGroups({{u"inquiry"_s, u"Inquiries"_s}});
        QVector<TimelineEvent> events(6);
        for (int i = 0; i < 6; ++i) {
            events[i].atUs = i * 240'000'000LL;
            events[i].text = u"event %1"_s.arg(i);
            events[i].idle = i >= 1 && i <= 3;
            events[i].group = i == 5 ? u"inquiry"_s : QString();
        }
        timeline.setEvents(events);
        const auto named = [&](const QString& part) {
            QList<QWidget*> found;
            QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
            for (QWidget* widget : timeline.findChildren<QWidget*>())
                if (widget->accessibleName().contains(part))
                    found << widget;
            return found;
        };
        QCOMPARE(named(u"event"_s).size(), 4); // three rows and the fold
        auto* pill = qobject_cast<QAbstractButton*>(named(u"folded"_s).value(0));
        QVERIFY(pill);
        QVERIFY(pill->text().startsWith(u"8 min 00 s idle, 3"));
        pill->click();
        QCOMPARE(named(u"event"_s).size(), 6);
        for (Chip* chip : timeline.findChildren<Chip*>())
            if (chip->text() == u"Inquiries")
                chip->click();
        QCOMPARE(named(u"event"_s).size(), 1);
    }
    void aRefusedActStaysVisibleWithItsReason()
    {
        ActionBar bar;
        bar.resize(440, 120);
        Button* ask = bar.add(u"ask"_s, u"Ask bank now"_s, u"P"_s);
        bar.add(u"note"_s, u"Add note…"_s, u"O"_s);
        bar.add(u"resolve"_s, u"Resolve as charged…"_s, {}, true);
        bar.setAllowed(u"resolve"_s, false);
        bar.setReason(u"R-2041 is open for this payment."_s);
        QCOMPARE(bar.button(u"resolve"_s)->accessibleDescription(), u"R-2041 is open for this payment."_s);
        QVERIFY(ask->accessibleDescription().isEmpty());
        QSignalSpy triggered(&bar, &ActionBar::triggered);
        bar.button(u"resolve"_s)->click();
        ask->click();
        QCOMPARE(triggered.count(), 1);
        QCOMPARE(triggered.first().at(0).toString(), u"ask"_s);
        QVERIFY(bar.heightForWidth(200) > bar.heightForWidth(800));
    }
    void aFieldWaitsForAPauseAndEscapeClearsIt()
    {
        Field field(Field::Kind::Filter, u"Filter"_s);
        field.show();
        QSignalSpy settled(&field, &Field::settled);
        QTest::keyClicks(&field, u"state:unknown"_s);
        QCOMPARE(settled.count(), 0);
        QTRY_COMPARE(settled.count(), 1);
        QTest::keyClick(&field, Qt::Key_Escape);
        QCOMPARE(settled.last().at(0).toString(), QString());
        QCOMPARE(settled.count(), 2);
    }
    void aFieldsErrorIsSaidInWords()
    {
        Field field(Field::Kind::Filter, u"Filter"_s);
        FieldError error(&field);
        QVERIFY(!error.isVisibleTo(nullptr));
        field.setError(u"“unkown” is not a state."_s);
        QCOMPARE(field.accessibleDescription(), u"“unkown” is not a state."_s);
        QCOMPARE(error.accessibleName(), field.error());
        field.resize(300, 28);
        QVERIFY(test::pixelsOf(test::imageOf(field), tokensOf(Theme::Light).failed) > 400);
    }
    void theRailTellsWhatWaits()
    {
        Rail rail;
        rail.setItems({{u"unknown"_s, u"Unknown"_s, Icon::Unknown, BadgeKind::Unknown},
                       {u"payments"_s, u"Payments"_s, Icon::Payments}});
        rail.setBadge(u"unknown"_s, 30);
        QSignalSpy activated(&rail, &Rail::activated);
        const auto buttons = rail.findChildren<QAbstractButton*>();
        QVERIFY(buttons.at(0)->accessibleName().startsWith(u"Unknown, 30"));
        buttons.at(1)->click();
        QCOMPARE(activated.first().at(0).toString(), u"payments"_s);
        QCOMPARE(rail.chosen(), u"payments"_s);
        rail.setFolded(true);
        QCOMPARE(rail.sizeHint().width(), 56);
    }
    void theConnectionBandKeepsItsColour()
    {
        QWidget page;
        page.resize(600, 60);
        MessageBand band(MessageBand::Kind::Warning, &page);
        band.setText(u"Connection lost at 14:20:46."_s, u"Nothing can be decided until it is back."_s);
        band.resize(600, 56);
        setCurrent(&page, false);
        QVERIFY(test::pixelsOf(test::imageOf(page), tokensOf(Theme::Light).tintWarning) > 10'000);
    }
    void entriesSumToZeroInEachCurrency()
    {
        EntriesBlock block;
        block.setEntries({{u"101"_s, u"C-20418"_s, {-100'000, 2, u"TRY"_s}},
                          {u"7001"_s, u"shop collection"_s, {100'000, 2, u"TRY"_s}}});
        const int one = block.sizeHint().height();
        block.setEntries({{u"101"_s, u"a"_s, {-1, 2, u"TRY"_s}}, {u"7001"_s, u"b"_s, {1, 2, u"EUR"_s}}});
        QCOMPARE(block.sizeHint().height(), one + 20); // a sum line for each currency
        QVERIFY(block.accessibleDescription().contains(u"\u22120.01 TRY"));
    }
};

} // namespace tekil::ui

using tekil::ui::PartsTest;
TEKIL_TEST(PartsTest)
#include "parts_test.moc"
