// Writes pictures of everything into the folder that TEKIL_SHOTS names, for eyes to judge; skipped without it.
#include "tests/support/test_main.h"
#include "tests/support/ui_application.h"
#include "tests/ui/widgets/sample_records.h"
#include "ui/widgets/action_bar.h"
#include "ui/widgets/count_tabs.h"
#include "ui/widgets/entries_block.h"
#include "ui/widgets/environment.h"
#include "ui/widgets/facts_list.h"
#include "ui/widgets/field.h"
#include "ui/widgets/format.h"
#include "ui/widgets/inspector_header.h"
#include "ui/widgets/message_band.h"
#include "ui/widgets/rail.h"
#include "ui/widgets/record_table.h"
#include "ui/widgets/state_diagram.h"
#include "ui/widgets/status_line.h"
#include "ui/widgets/timeline.h"

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QMenu>
#include <QPainter>
#include <QRadioButton>
#include <QTest>
#include <QVBoxLayout>

namespace tekil::ui {

using namespace Qt::Literals::StringLiterals;

namespace {

Rail* makeRail()
{
    auto* rail = new Rail;
    rail->setItems({{u"overview"_s, u"Overview"_s, Icon::Overview},
                    {u"unknown"_s, u"Unknown"_s, Icon::Unknown, BadgeKind::Unknown, true},
                    {u"approvals"_s, u"Approvals"_s, Icon::Approvals},
                    {u"reconciliation"_s, u"Reconciliation"_s, Icon::Reconciliation},
                    {u"payments"_s, u"Payments"_s, Icon::Payments, BadgeKind::Outlined, true},
                    {u"accounts"_s, u"Accounts"_s, Icon::Accounts},
                    {u"messages"_s, u"Messages"_s, Icon::Messages},
                    {u"engines"_s, u"Engines"_s, Icon::Engines, BadgeKind::Outlined, true},
                    {u"metrics"_s, u"Metrics"_s, Icon::Metrics},
                    {u"audit"_s, u"Audit"_s, Icon::Audit},
                    {u"setup"_s, u"Setup"_s, Icon::Setup, BadgeKind::Outlined, true},
                    {u"try"_s, u"Try a payment"_s, Icon::Play},
                    {u"settings"_s, u"Settings"_s, Icon::Settings}});
    rail->setBadge(u"unknown"_s, 30);
    rail->setBadge(u"approvals"_s, 2);
    rail->setBadge(u"reconciliation"_s, 4);
    rail->setChosen(u"payments"_s);
    return rail;
}

QWidget* makeInspector()
{
    auto* panel = new QWidget;
    panel->setBackgroundRole(QPalette::Base);
    panel->setAutoFillBackground(true);
    auto* column = new QVBoxLayout(panel);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* header = new InspectorHeader;
    InspectorHead head;
    head.shape = Shape::Unknown;
    head.age = u"for "_s + formatter().age(884'000'000);
    head.amount = {100'000, 2, u"TRY"_s};
    head.id = u"019cbdae-17be-7d51-84cb-d30304861d02"_s;
    head.title = u"Invoice 45982"_s;
    head.subtitle = u"sale · shop · account 101"_s;
    header->setHead(head);
    column->addWidget(header);
    auto* pending = new MessageBand(MessageBand::Kind::Pending);
    pending->setText(u"Waiting for finance"_s, u"R-2041 · resolve as charged"_s);
    pending->addButton(u"Open"_s);
    column->addWidget(pending);
    auto* tabs = new CountTabs;
    tabs->add(u"Summary"_s);
    tabs->add(u"Request"_s);
    tabs->add(u"Attempts"_s, 1);
    tabs->add(u"Messages"_s, 1);
    tabs->add(u"History"_s, 14);
    column->addWidget(tabs);

    auto* body = new QVBoxLayout;
    body->setContentsMargins(px(16), px(8), px(16), px(8));
    body->setSpacing(px(10));
    auto* diagram = new StateDiagram;
    StateWay way;
    way.steps = {{PaymentState::Processing, u"14:07:09.118"_s, {}},
                 {PaymentState::Unknown, u"14:07:14.140"_s, formatter().duration(5'009'000)}};
    way.proofs = {{PaymentState::Completed, u"proof: charged"_s}, {PaymentState::Failed, u"proof: not charged"_s}};
    diagram->setWay(way);
    body->addWidget(diagram);
    auto* facts = new FactsList;
    facts->setFacts({{u"Why unknown"_s, u"No answer within 5 s after the request was sent"_s, true},
                     {u"Last asked"_s, u"14:21:31, “not found”: no proof at this provider"_s},
                     {u"Asks again"_s, u"14:22:31, in 33 s (4th time)"_s},
                     {u"Ends with"_s, u"bank’s answer, settlement of 5 March, or two people"_s}});
    body->addWidget(facts);
    auto* timeline = new Timeline;
    timeline->setGroups({{u"a"_s, u"Attempts"_s}, {u"i"_s, u"Inquiries"_s}, {u"p"_s, u"People"_s}});
    const std::int64_t start = 1'772'708'829'118'000;
    timeline->setEvents(
        {{start, u"Claimed by engine-2"_s, u"key shop-45982"_s, u"a"_s, Icon::None, {}, false},
         {start + 6'000, u"Accepted, 1,000.00 TRY reserved"_s, u"+6 ms"_s, u"a"_s, Icon::None, {}, false},
         {start + 13'000, u"Sent to bank, attempt 1"_s, u"+7 ms"_s, u"a"_s, Icon::ArrowRight, {}, false},
         {start + 5'022'000, u"No answer: Unknown"_s, u"+5.009 s"_s, u"a"_s, Icon::None, Shape::Unknown, false},
         {start + 40'000'000, u"Asked bank"_s, {}, u"i"_s, Icon::Question, {}, true},
         {start + 760'000'000, u"Asked bank"_s, {}, u"i"_s, Icon::Question, {}, true},
         {start + 773'259'000, u"operations1 requested R-2041"_s, {}, u"p"_s, Icon::Person, {}, false},
         {start + 861'890'000, u"Asked bank: not found, no proof"_s, u"84 ms"_s, u"i"_s, Icon::Question, {}, false}});
    body->addWidget(timeline);
    auto* entries = new EntriesBlock;
    entries->setEntries(
        {{u"101"_s, u"C-20418"_s, {-100'000, 2, u"TRY"_s}}, {u"7001"_s, u"shop collection"_s, {100'000, 2, u"TRY"_s}}},
        u"none written; if charged:"_s);
    body->addWidget(entries);
    body->addStretch(1);
    column->addLayout(body, 1);
    auto* acts = new ActionBar;
    acts->add(u"ask"_s, u"Ask bank now"_s, u"P"_s);
    acts->add(u"note"_s, u"Add note…"_s, u"O"_s);
    acts->add(u"copy"_s, u"Copy summary"_s);
    acts->add(u"charged"_s, u"Resolve as charged…"_s, {}, true);
    acts->add(u"not"_s, u"Resolve as not charged…"_s);
    acts->setAllowed(u"charged"_s, false);
    acts->setAllowed(u"not"_s, false);
    acts->setReason(u"R-2041 is open for this payment. Decide or withdraw it first."_s);
    column->addWidget(acts);
    panel->setFixedWidth(px(472));
    return panel;
}

QWidget* makePage(SampleRecords* model)
{
    auto* page = new QWidget;
    page->setBackgroundRole(QPalette::Base);
    page->setAutoFillBackground(true);
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(px(16), px(12), px(16), px(8));
    head->setSpacing(px(8));
    head->addWidget(new Label(u"Payments"_s, Face::Title, QFont::Bold));
    head->addWidget(new Label(u"today, accounts 101 to 199"_s, Face::Body, QFont::Normal, Ink::Second), 1);
    auto* columns = new Button(u"Columns"_s);
    columns->setLineIcon(Icon::Columns);
    auto* save = new Button(u"Export…"_s);
    save->setLineIcon(Icon::Export);
    head->addWidget(columns);
    head->addWidget(save);
    column->addLayout(head);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(px(16), 0, px(16), px(12));
    row->setSpacing(px(8));
    auto* view = new QComboBox;
    view->addItem(u"Pilot accounts"_s);
    auto* field = new Field(Field::Kind::Filter, u"Filter"_s);
    field->setText(u"created:today account:101..199"_s);
    field->setTrailing(formatter().count(2418) + u" match"_s);
    row->addWidget(view);
    row->addWidget(field, 1);
    column->addLayout(row);
    auto* table = new RecordTable(u"Payments"_s);
    table->setModel(model);
    table->setSort(u"created"_s, Qt::DescendingOrder);
    table->setObjectName(u"table"_s);
    column->addWidget(table, 1);
    return page;
}

class StatesSheet : public QWidget {
protected:
    void paintEvent(QPaintEvent*) override
    {
        const Tokens& t = tokensFor(this);
        QPainter painter(this);
        painter.fillRect(rect(), t.base);
        for (int i = 0; i <= static_cast<int>(Shape::NotCurrent); ++i) {
            const auto shape = static_cast<Shape>(i);
            const QRect row(16, 8 + i * 32, 400, 32);
            drawHairline(painter, row, Qt::BottomEdge, t.line);
            drawShape(painter, QRect(row.left(), row.top() + 9, 14, 14), shape, Strength::List, t);
            painter.setFont(faceFont(Face::Body, wordWeightOf(shape, Strength::List, t)));
            painter.setPen(wordColorOf(shape, Strength::List, t));
            painter.drawText(QPoint(row.left() + 24, baselineOf(row)), wordOf(shape));
            drawShape(painter, QRect(row.left() + 200, row.top() + 6, 20, 20), shape, Strength::Subject, t);
            const QRect node(row.left() + 250, row.top() + 3, 110, 26);
            painter.setPen(Qt::NoPen);
            painter.setBrush(hueOf(shape, t));
            painter.drawRoundedRect(node, 5, 5);
            drawShape(painter, QRect(node.left() + 8, node.top() + 5, 16, 16), shape, Strength::Lit, t);
        }
    }
};

QWidget* makeControls()
{
    auto* sheet = new QWidget;
    sheet->setBackgroundRole(QPalette::Base);
    sheet->setAutoFillBackground(true);
    auto* column = new QVBoxLayout(sheet);
    auto* buttons = new QHBoxLayout;
    auto* plain = new Button(u"Ask bank now"_s);
    plain->setKeyCap(u"P"_s);
    auto* off = new Button(u"Ask bank now"_s);
    off->setKeyCap(u"P"_s);
    off->setEnabled(false);
    auto* primary = new Button(u"Approve 1,250.00 TRY"_s);
    primary->setWeight(Button::Weight::Primary);
    auto* primaryOff = new Button(u"Approve 1,250.00 TRY"_s);
    primaryOff->setWeight(Button::Weight::Primary);
    primaryOff->setEnabled(false);
    for (QWidget* widget : std::initializer_list<QWidget*>{plain, off, primary, primaryOff})
        buttons->addWidget(widget);
    buttons->addStretch(1);
    column->addLayout(buttons);
    auto* chips = new QHBoxLayout;
    for (const QString& word : {u"All"_s, u"Attempts"_s, u"Inquiries"_s})
        chips->addWidget(new Chip(word));
    sheet->findChild<Chip*>();
    auto* check = new QCheckBox(u"Only mine"_s);
    check->setChecked(true);
    auto* radio = new QRadioButton(u"Whole amount"_s);
    radio->setChecked(true);
    chips->addWidget(check);
    chips->addWidget(new QCheckBox(u"Closed too"_s));
    chips->addWidget(radio);
    for (const auto environment : {Environment::Prod, Environment::Test, Environment::Demo})
        chips->addWidget(new EnvironmentTag(environment));
    chips->addStretch(1);
    column->addLayout(chips);
    auto* find = new Field(Field::Kind::Find, u"Find"_s);
    find->setPlaceholderText(u"Find payment, key, invoice, account, customer"_s);
    find->setTrailing(u"Ctrl+K"_s);
    auto* wrong = new Field(Field::Kind::Filter, u"Filter"_s);
    wrong->setText(u"state:unkown amount>1000"_s);
    wrong->setError(u"“unkown” is not a state. Did you mean unknown? (character 7)"_s);
    auto* login = new QLineEdit(u"operations1"_s);
    login->setObjectName(u"login"_s);
    column->addWidget(find);
    column->addWidget(wrong);
    column->addWidget(new FieldError(wrong));
    column->addWidget(login);
    const auto band = [&](MessageBand::Kind kind, const QString& what, const QString& todo) {
        auto* one = new MessageBand(kind);
        one->setText(what, todo);
        column->addWidget(one);
        return one;
    };
    auto* lost = band(MessageBand::Kind::Warning, u"Connection lost at 14:20:46. You see data as of 14:20:46."_s,
                      u"Nothing can be decided until it is back; drafts are kept."_s);
    lost->addButton(u"Try now"_s);
    lost->addButton(u"Details"_s, Button::Weight::Quiet);
    band(MessageBand::Kind::Failed, u"Stopped: the search took longer than 5 s."_s,
         u"Nothing was changed. Narrow the filter, or try again. 57014"_s);
    band(MessageBand::Kind::Unknown, u"Outcome not known, checking."_s,
         u"Your request was sent at 14:07:09. It is not sent again."_s);
    band(MessageBand::Kind::Quiet, u"Nothing was changed: same file as run 118."_s,
         u"Imported 5 March 06:04 by finance1."_s);
    for (const auto environment : {Environment::Prod, Environment::Test, Environment::Demo})
        column->addWidget(new EnvironmentBand(environment));
    auto* status = new StatusLine;
    status->setConnection(u"Not connected · data 1 min 12 s old"_s, false);
    status->setParts({u"26 of ~2,418 payments, as of 14:20:46"_s, u"1 selected: 1,000.00 TRY"_s});
    status->setJob(u"Export 41% · 990 of 2,418"_s, 41);
    column->addWidget(status);
    column->addStretch(1);
    return sheet;
}

} // namespace

class GalleryTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void picturesAreWrittenForEyes_data()
    {
        QTest::addColumn<Theme>("theme");
        QTest::addColumn<Language>("language");
        QTest::addColumn<double>("dpr");
        QTest::newRow("light") << Theme::Light << Language::English << 1.0;
        QTest::newRow("dark") << Theme::Dark << Language::English << 1.0;
        QTest::newRow("light-tr") << Theme::Light << Language::Turkish << 1.0;
        QTest::newRow("light-200") << Theme::Light << Language::English << 2.0;
        QTest::newRow("dark-200") << Theme::Dark << Language::English << 2.0;
    }
    void picturesAreWrittenForEyes()
    {
        const QString folder = qEnvironmentVariable("TEKIL_SHOTS");
        if (folder.isEmpty())
            QSKIP("TEKIL_SHOTS names no folder");
        QFETCH(Theme, theme);
        QFETCH(Language, language);
        QFETCH(double, dpr);
        QVERIFY(QDir().mkpath(folder));
        applyTheme(*static_cast<QApplication*>(QCoreApplication::instance()), theme);
        setFormatter(Formatter(language, QTimeZone("Europe/Istanbul")));
        const QString tag = QString::fromLatin1(QTest::currentDataTag());
        const auto save = [&](QWidget& widget, const QString& name) {
            QCoreApplication::processEvents();
            QVERIFY(test::imageOf(widget, dpr).save(folder + u'/' + name + u'-' + tag + u".png"_s));
        };

        SampleRecords model(300);
        QWidget window;
        auto* row = new QHBoxLayout(&window);
        row->setContentsMargins(0, 0, 0, 0);
        row->setSpacing(0);
        row->addWidget(makeRail());
        QWidget* page = makePage(&model);
        row->addWidget(page, 1);
        QWidget* inspector = makeInspector();
        row->addWidget(inspector);
        window.resize(1440, 840);
        window.show();
        auto* table = page->findChild<RecordTable*>(u"table"_s);
        table->select(model.recordId(12));
        table->setFocus();
        save(window, u"window"_s);
        model.setHeld(12);
        setCurrent(page, false);
        setCurrent(inspector, false);
        save(window, u"window-old"_s);

        StatesSheet states;
        states.resize(460, 470);
        save(states, u"states"_s);
        const std::unique_ptr<QWidget> controls(makeControls());
        controls->resize(700, 620);
        controls->show();
        controls->findChild<QLineEdit*>(u"login"_s)->setFocus();
        controls->findChild<Chip*>()->setChecked(true);
        save(*controls, u"controls"_s);
        QMenu* menu = table->columnMenu();
        menu->ensurePolished();
        menu->resize(menu->sizeHint());
        save(*menu, u"menu"_s);
        const std::unique_ptr<Rail> folded(makeRail());
        folded->setFolded(true);
        folded->resize(56, 560);
        save(*folded, u"rail-folded"_s);

        SampleRecords none;
        RecordTable empty(u"Unknown"_s);
        empty.setModel(&none);
        empty.setEmptyText(
            {EmptyText::Kind::AllDone, u"No unknown payments."_s, u"The last one ended 13:52, by settlement."_s, {}});
        empty.resize(700, 260);
        empty.show();
        save(empty, u"empty"_s);
        none.setStatus({RecordStatus::Kind::Failed, u"Stopped: the search took longer than 5 s."_s,
                        u"Nothing was changed. Narrow the filter, or try again."_s, u"57014"_s});
        save(empty, u"failed"_s);
    }
    void cleanupTestCase() { applyTheme(*static_cast<QApplication*>(QCoreApplication::instance()), Theme::Light); }
};

} // namespace tekil::ui

using tekil::ui::GalleryTest;
TEKIL_TEST(GalleryTest)
#include "gallery_test.moc"
