// Keeps what it shows until the next answer is there, and rebuilds only what changed.
#include "ui/payments/payment_inspector.h"

#include "ui/payments/payment_words.h"
#include "ui/payments/reservation_block.h"
#include "ui/widgets/action_bar.h"
#include "ui/widgets/count_tabs.h"
#include "ui/widgets/entries_block.h"
#include "ui/widgets/facts_list.h"
#include "ui/widgets/format.h"
#include "ui/widgets/inspector_header.h"
#include "ui/widgets/message_band.h"
#include "ui/widgets/state_diagram.h"
#include "ui/widgets/timeline.h"

#include <QBoxLayout>
#include <QClipboard>
#include <QEvent>
#include <QGuiApplication>
#include <QJsonDocument>
#include <QPainter>
#include <QPlainTextEdit>
#include <QScrollArea>

namespace tekil::ui::payments {

using namespace Qt::Literals::StringLiterals;

namespace {

enum Tab : int { Summary, RequestTab, AttemptsTab, HistoryTab };

// A hairline of the page's own tone between blocks.
class Rule : public QWidget {
public:
    Rule() { setFixedHeight(px(17)); }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        drawHairline(painter, QRectF(0, height() / 2, width(), 1), Qt::TopEdge, tokensFor(this).line);
    }
};

// Text exactly as it was sent or came back; JSON indented where it is JSON.
QWidget* bodyBlock(const QString& text, const QString& name)
{
    QJsonParseError error{};
    const QJsonDocument json = QJsonDocument::fromJson(text.toUtf8(), &error);
    const bool isObject = error.error == QJsonParseError::NoError && json.isObject();
    auto* view = new QPlainTextEdit(isObject ? QString::fromUtf8(json.toJson()).trimmed() : text);
    view->setReadOnly(true);
    view->setFont(faceFont(Face::Mono));
    view->setAccessibleName(name);
    view->setFrameShape(QFrame::NoFrame);
    view->setTabChangesFocus(true);
    QPalette palette = view->palette();
    palette.setColor(QPalette::Base, palette.color(QPalette::AlternateBase));
    view->setPalette(palette);
    const int lines = std::min(view->document()->blockCount(), 14);
    view->setFixedHeight(lines * QFontMetrics(view->font()).lineSpacing() + px(14));
    return view;
}

void clearColumn(QVBoxLayout* column)
{
    while (QLayoutItem* item = column->takeAt(0)) {
        if (item->widget())
            item->widget()->deleteLater();
        delete item;
    }
}

Label* blockTitle(const QString& text)
{
    return new Label(text, Face::Body, QFont::Bold);
}

} // namespace

PaymentInspector::PaymentInspector(Session* session, QWidget* parent)
    : QWidget(parent), m_session(session), m_body(new QWidget), m_notice(new QWidget),
      m_noticeWhat(new Label({}, Face::Body, QFont::Bold)),
      m_noticeWay(new Label({}, Face::Second, QFont::Normal, Ink::Second)), m_header(new InspectorHeader),
      m_failure(new MessageBand(MessageBand::Kind::Failed)), m_tabs(new CountTabs), m_pages(new QStackedWidget),
      m_diagram(new StateDiagram), m_facts(new FactsList), m_timeline(new Timeline),
      m_reservation(new ReservationBlock), m_entries(new EntriesBlock), m_requestColumn(new QVBoxLayout),
      m_attemptsColumn(new QVBoxLayout), m_history(new Timeline), m_acts(new ActionBar)
{
    build();
    connect(session, &Session::changed, this, &PaymentInspector::refresh);
    connect(session, &Session::stateChanged, this, &PaymentInspector::onStateChanged);
    connect(m_tabs, &QTabBar::currentChanged, m_pages, &QStackedWidget::setCurrentIndex);
    connect(m_header, &InspectorHeader::copyRequested, this, &PaymentInspector::copySummary);
    connect(m_header, &InspectorHeader::closeRequested, this, &PaymentInspector::closeRequested);
    connect(m_header, &InspectorHeader::openRequested, this, [this] { Q_EMIT windowRequested(m_wanted); });
    connect(m_acts, &ActionBar::triggered, this, &PaymentInspector::copySummary);
    retranslate();
    showNotice(tr("No payment is selected."), tr("Choose one in the list, or find one with Ctrl+K."));
    onStateChanged();
}

QScrollArea* PaymentInspector::scrolled(QWidget* content)
{
    auto* area = new QScrollArea;
    area->setWidget(content);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area->setFocusPolicy(Qt::NoFocus);
    content->setAutoFillBackground(false);
    area->viewport()->setAutoFillBackground(false);
    return area;
}

QWidget* PaymentInspector::buildSummary()
{
    auto* summary = new QWidget;
    auto* column = new QVBoxLayout(summary);
    column->setContentsMargins(px(16), px(8), px(16), px(12));
    column->setSpacing(0);
    column->addWidget(m_diagram);
    column->addWidget(new Rule);
    column->addWidget(m_facts);
    column->addWidget(new Rule);
    m_timeline->setGroups(timelineGroups());
    column->addWidget(m_timeline);
    column->addWidget(new Rule);
    auto* money = new QHBoxLayout;
    money->setSpacing(px(12));
    money->addWidget(m_reservation, 0, Qt::AlignTop);
    money->addWidget(m_entries, 1, Qt::AlignTop);
    column->addLayout(money);
    column->addStretch(1);
    return summary;
}

void PaymentInspector::build()
{
    auto* whole = new QVBoxLayout(this);
    whole->setContentsMargins(0, 0, 0, 0);
    whole->setSpacing(0);
    auto* noticeColumn = new QVBoxLayout(m_notice);
    noticeColumn->setContentsMargins(px(24), px(24), px(24), px(24));
    noticeColumn->addStretch(1);
    for (Label* line : {m_noticeWhat, m_noticeWay}) {
        line->setAlignment(Qt::AlignCenter);
        line->setWordWrap(true);
        noticeColumn->addWidget(line);
    }
    noticeColumn->addStretch(2);
    auto* column = new QVBoxLayout(m_body);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_header);
    column->addWidget(m_failure);
    m_failure->hide();
    auto* tabsRow = new QHBoxLayout;
    tabsRow->setContentsMargins(px(6), 0, px(6), 0);
    tabsRow->addWidget(m_tabs, 1);
    column->addLayout(tabsRow);
    for (const QString& unnamed : {QString(), QString(), QString(), QString()})
        m_tabs->add(unnamed);
    m_pages->addWidget(scrolled(buildSummary()));
    for (QVBoxLayout* content : {m_requestColumn, m_attemptsColumn}) {
        auto* page = new QWidget;
        auto* padded = new QVBoxLayout(page);
        padded->setContentsMargins(px(16), px(12), px(16), px(12));
        content->setSpacing(px(8));
        padded->addLayout(content);
        padded->addStretch(1);
        m_pages->addWidget(scrolled(page));
    }
    auto* history = new QWidget;
    auto* historyColumn = new QVBoxLayout(history);
    historyColumn->setContentsMargins(px(16), px(12), px(16), px(12));
    historyColumn->addWidget(m_history);
    historyColumn->addStretch(1);
    m_pages->addWidget(scrolled(history));
    column->addWidget(m_pages, 1);
    m_acts->add(u"copy"_s, tr("Copy summary"));
    column->addWidget(m_acts);
    whole->addWidget(m_notice, 1);
    whole->addWidget(m_body, 1);
}

void PaymentInspector::setInOwnWindow(bool own)
{
    m_header->setInOwnWindow(own);
}

void PaymentInspector::showNotice(const QString& what, const QString& wayOut)
{
    m_noticeWhat->setText(what);
    m_noticeWay->setText(wayOut);
    m_notice->setVisible(true);
    m_body->setVisible(false);
}

void PaymentInspector::open(const QString& operationId)
{
    if (operationId == m_wanted && m_record)
        return;
    m_wanted = operationId;
    refresh();
}

void PaymentInspector::refresh()
{
    if (m_wanted.isEmpty() || !m_session->state().reads())
        return;
    m_session->cancel(m_request);
    m_request = m_session->ask(Lane::Inspector, recordQueries(m_wanted), this,
                               [this, wanted = m_wanted](const Answer& got) { answer(wanted, got); });
}

void PaymentInspector::answer(const QString& operationId, const Answer& got)
{
    if (operationId != m_wanted)
        return;
    if (got.failed()) {
        if (got.error->code == ErrorCode::DatabaseUnavailable)
            return; // the window says so, and it is read again when the connection is back
        const Problem problem = problemOf(*got.error);
        if (!m_record)
            return showNotice(problem.what, problem.whatToDo + u' ' + problem.code);
        m_failure->setText(problem.what, problem.whatToDo + u' ' + problem.code);
        m_failure->show();
        return;
    }
    m_failure->hide();
    std::optional<PaymentRecord> read = recordOf(got);
    if (!read) {
        m_record.reset();
        return showNotice(tr("There is no payment with this id."), operationId);
    }
    if (m_record == read)
        return;
    m_record = std::move(read);
    showRecord(*m_record);
}

void PaymentInspector::onStateChanged()
{
    const ConnectionState& state = m_session->state();
    setCurrent(this, state.reads() || state.kind == ConnectionState::Kind::Connecting);
    tick();
    update();
}

QString PaymentInspector::ageText() const
{
    const bool current = isCurrent(this);
    const std::int64_t now = current ? m_session->serverNowUs() : m_session->dataAsOfUs();
    const QString age
        = isEnd(m_record->state)
              ? formatter().full(m_record->stateSinceUs())
              : tr("for %1", "how long it has been in this state").arg(formatter().age(now - m_record->stateSinceUs()));
    return current ? age : tr("%1, as of %2").arg(age, formatter().shortTime(m_session->dataAsOfUs()));
}

void PaymentInspector::tick()
{
    if (m_record)
        m_header->setAge(ageText());
}

void PaymentInspector::showRecord(const PaymentRecord& record)
{
    m_notice->setVisible(false);
    m_body->setVisible(true);
    InspectorHead head;
    head.shape = shapeOf(record.state);
    head.age = ageText();
    head.amount = {record.amountMinor, record.exponent, record.currency};
    head.id = record.operationId;
    head.title = tr("Invoice %1").arg(record.invoice);
    head.subtitle = record.type + u" · "_s + record.merchant + u" · "_s + tr("account %1").arg(record.accountId);
    m_header->setHead(head);
    showSummary(record);
    showRequest(record);
    showAttempts(record);
    const QVector<TimelineEvent> history = timelineOf(record, TimelineKind::History);
    m_history->setEvents(history);
    m_tabs->setCount(AttemptsTab, static_cast<int>(record.attempts.size()));
    m_tabs->setCount(HistoryTab, static_cast<int>(history.size()));
}

void PaymentInspector::showSummary(const PaymentRecord& record)
{
    StateWay way;
    way.steps << StateStep{PaymentState::Processing, formatter().timeOfDay(record.createdUs), {}};
    std::int64_t before = record.createdUs;
    for (const StateChange& change : record.changes) {
        way.steps << StateStep{change.to, formatter().timeOfDay(change.atUs),
                               formatter().duration(change.atUs - before)};
        before = change.atUs;
    }
    way.proofs.insert(PaymentState::Completed, tr("proof: charged"));
    way.proofs.insert(PaymentState::Failed, tr("proof: not charged"));
    m_diagram->setWay(way);
    m_facts->setFacts(factsOf(record));
    m_timeline->setEvents(timelineOf(record, TimelineKind::Summary));
    m_reservation->setReservation(record.reservation, record.currency, record.exponent);
    QVector<EntryLine> lines;
    const bool written = !record.entries.isEmpty();
    for (const LedgerLine& line : written ? record.entries : record.wouldWrite)
        lines << EntryLine{QString::number(line.accountId),
                           line.owner.isEmpty() ? u"–"_s : line.owner,
                           {line.amountMinor, line.exponent, line.currency}};
    m_entries->setEntries(lines, written               ? QString()
                                 : isEnd(record.state) ? tr("none written")
                                                       : tr("none written; if charged:"));
}

void PaymentInspector::showRequest(const PaymentRecord& record)
{
    clearColumn(m_requestColumn);
    m_requestColumn->addWidget(blockTitle(tr("What the merchant asked for")));
    auto* facts = new FactsList;
    facts->setFacts(requestFactsOf(record));
    m_requestColumn->addWidget(facts);
    if (record.stored && !record.stored->responseBody.isEmpty()) {
        m_requestColumn->addWidget(blockTitle(tr("Stored answer, the same for every repeat")));
        m_requestColumn->addWidget(bodyBlock(record.stored->responseBody, tr("Stored answer")));
    }
}

void PaymentInspector::showAttempts(const PaymentRecord& record)
{
    clearColumn(m_attemptsColumn);
    if (record.attempts.isEmpty())
        m_attemptsColumn->addWidget(
            new Label(tr("Nothing has been sent to a provider."), Face::Second, QFont::Normal, Ink::Second));
    for (const Attempt& attempt : record.attempts) {
        m_attemptsColumn->addWidget(blockTitle(tr("Attempt %1 · %2").arg(attempt.number).arg(attemptOutcome(attempt))));
        auto* facts = new FactsList;
        QVector<Fact> lines{{tr("Provider"), attempt.provider}, {tr("Started"), formatter().full(attempt.startedUs)}};
        if (attempt.endedUs > 0)
            lines << Fact{tr("Took"), formatter().duration(attempt.endedUs - attempt.startedUs)};
        lines << Fact{tr("Send before"), formatter().full(attempt.sendBeforeUs)};
        facts->setFacts(lines);
        m_attemptsColumn->addWidget(facts);
        for (const auto& [body, name] :
             {std::pair(attempt.requestBody, tr("Sent")), std::pair(attempt.answerBody, tr("Came back"))}) {
            if (body.isEmpty())
                continue;
            m_attemptsColumn->addWidget(new Label(name, Face::Second, QFont::Normal, Ink::Third));
            m_attemptsColumn->addWidget(bodyBlock(body, name));
        }
        if (attempt.requestBody.isEmpty())
            m_attemptsColumn->addWidget(new Label(tr("Your role does not read what was sent and what came back."),
                                                  Face::Second, QFont::Normal, Ink::Second));
    }
}

void PaymentInspector::copySummary()
{
    if (m_record)
        QGuiApplication::clipboard()->setText(ticketSummaryOf(*m_record));
}

void PaymentInspector::retranslate()
{
    m_tabs->setTabText(Summary, tr("Summary"));
    m_tabs->setTabText(RequestTab, tr("Request"));
    m_tabs->setTabText(AttemptsTab, tr("Attempts"));
    m_tabs->setTabText(HistoryTab, tr("History"));
    m_tabs->setAccessibleName(tr("Parts of the payment"));
    m_acts->button(u"copy"_s)->setText(tr("Copy summary"));
    m_timeline->setGroups(timelineGroups());
    setAccessibleName(tr("Inspector"));
}

void PaymentInspector::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() != QEvent::LanguageChange)
        return;
    retranslate();
    if (m_record)
        showRecord(*m_record);
    else
        showNotice(tr("No payment is selected."), tr("Choose one in the list, or find one with Ctrl+K."));
}

void PaymentInspector::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Tokens& t = tokensFor(this);
    painter.fillRect(rect(), t.base);
    if (!t.current && m_record)
        drawHatch(painter, QRectF(m_pages->geometry()).translated(m_body->pos()), t);
    drawHairline(painter, rect(), Qt::LeftEdge, t.lineStrong);
}

} // namespace tekil::ui::payments
