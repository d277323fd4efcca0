// Old answers are dropped, old readings are hatched, and nothing here waits.
#include "ui/overview/overview_page.h"

#include "core/base/clock.h"
#include "ui/overview/books_line.h"
#include "ui/overview/engine_list.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/format.h"
#include "ui/widgets/hatch.h"
#include "ui/widgets/message_band.h"

#include <QBoxLayout>
#include <QEvent>
#include <QPainter>
#include <QShortcut>

namespace tekil::ui::overview {

using namespace Qt::Literals::StringLiterals;

namespace {

using namespace std::chrono_literals;

constexpr auto kPoll = 1000ms;
constexpr auto kLeast = 900ms; // the doorbell rings more often than this page changes
constexpr std::int64_t kStaleUs = 10'000'000;

// A hairline between zones.
class Rule : public QWidget {
public:
    explicit Rule(Qt::Orientation orientation) { orientation == Qt::Horizontal ? setFixedHeight(1) : setFixedWidth(1); }

protected:
    void paintEvent(QPaintEvent*) override { QPainter(this).fillRect(rect(), tokensFor(this).line); }
};

} // namespace

OverviewPage::OverviewPage(Session* session, QWidget* parent)
    : DeskPage(parent), m_session(session), m_title(new Label({}, Face::Title, QFont::Bold)),
      m_scope(new Label({}, Face::Body, QFont::Normal, Ink::Second)),
      m_flowTitle(new Label({}, Face::Body, QFont::Bold)),
      m_flowScope(new Label({}, Face::Second, QFont::Normal, Ink::Second)),
      m_failure(new MessageBand(MessageBand::Kind::Failed)), m_books(new BooksLine), m_flow(new FlowDiagram),
      m_engines(new EngineList)
{
    build();
    m_hatch = new Hatch(this);
    addKeys();
    connect(m_session, &Session::changed, this, &OverviewPage::wake);
    connect(m_session, &Session::stateChanged, this, &OverviewPage::show);
    connect(&m_poll, &QTimer::timeout, this, &OverviewPage::wake);
    m_poll.start(kPoll);
    retranslate();
}

void OverviewPage::build()
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(px(16), px(12), px(16), px(12));
    head->setSpacing(px(12));
    head->addWidget(m_title);
    m_scope->setElided(true);
    head->addWidget(m_scope, 1);
    column->addLayout(head);
    column->addWidget(m_failure);
    m_failure->hide();
    column->addWidget(new Rule(Qt::Horizontal));
    auto* tiles = new QHBoxLayout;
    tiles->setSpacing(0);
    for (int i = 0; i < kTiles; ++i) {
        auto* tile = new MetricTile;
        tile->setDivider(i + 1 < kTiles);
        tiles->addWidget(tile, 1);
        m_tiles[static_cast<std::size_t>(i)] = tile;
        connect(tile, &QAbstractButton::clicked, this,
                [this, i] { Q_EMIT listWanted(u"payments"_s, filterOf(static_cast<Tile>(i))); });
    }
    column->addLayout(tiles);
    column->addWidget(new Rule(Qt::Horizontal));
    column->addWidget(m_books);
    auto* lower = new QHBoxLayout;
    lower->setSpacing(0);
    auto* flow = new QVBoxLayout;
    flow->setContentsMargins(px(16), px(10), px(8), px(8));
    flow->setSpacing(0);
    auto* flowHead = new QHBoxLayout;
    flowHead->setSpacing(px(12));
    flowHead->addWidget(m_flowTitle);
    m_flowScope->setElided(true);
    flowHead->addWidget(m_flowScope, 1);
    flow->addLayout(flowHead);
    flow->addWidget(m_flow, 1);
    lower->addLayout(flow, 1);
    lower->addWidget(new Rule(Qt::Vertical));
    m_engines->setFixedWidth(px(360));
    lower->addWidget(m_engines);
    column->addLayout(lower, 1);
    connect(m_flow, &FlowDiagram::stateActivated, this,
            [this](PaymentState state) { Q_EMIT listWanted(u"payments"_s, filterOf(state)); });
}

void OverviewPage::addKeys()
{
    for (int i = 0; i < kTiles; ++i) {
        auto* key = new QShortcut(QKeySequence(QString::number(i + 1)), this);
        key->setContext(Qt::WidgetWithChildrenShortcut);
        connect(key, &QShortcut::activated, m_tiles[static_cast<std::size_t>(i)], &QAbstractButton::click);
    }
}

QString OverviewPage::id() const
{
    return u"overview"_s;
}

QString OverviewPage::word() const
{
    return tr("Overview");
}

void OverviewPage::focusContent()
{
    m_tiles.front()->setFocus(Qt::ShortcutFocusReason);
}

void OverviewPage::refreshNow()
{
    if (m_session->state().reads() && m_asked == 0)
        ask();
}

void OverviewPage::wake()
{
    if (isVisible() && !m_session->isPaused() && bootTime() - m_askedAt >= kLeast)
        refreshNow();
}

void OverviewPage::ask()
{
    m_askedAt = bootTime();
    m_asked = m_session->ask(Lane::Read, readingQueries(), this, [this](const Answer& answer) {
        if (answer.id == m_asked)
            take(answer);
    });
}

void OverviewPage::take(const Answer& answer)
{
    m_asked = 0;
    m_failed = answer.failed();
    if (answer.failed()) {
        // A lost connection is told by the window's own band.
        const bool lost = answer.error->code == ErrorCode::DatabaseUnavailable;
        m_failure->setVisible(!lost);
        m_failure->setText(tr("The overview could not be read."),
                           tr("What is shown is older. It is read again every second. %1")
                               .arg(QString::fromStdString(answer.error->sqlState)));
    } else {
        m_failure->hide();
        m_reading = readingOf(answer.rows);
        m_readAtUs = answer.askedAtUs;
    }
    show();
}

// Ages go on with the server's clock while data is current, and stand still while it is not.
std::int64_t OverviewPage::shownAtUs() const
{
    return isCurrent(this) ? m_session->serverNowUs() : m_reading->serverNowUs;
}

void OverviewPage::show()
{
    const bool stale = m_reading && wallClockUs() - m_readAtUs > kStaleUs && !m_session->isPaused();
    setCurrent(this, m_reading.has_value() ? m_session->state().reads() && !stale : true);
    m_hatch->setVisible(!isCurrent(this));
    const bool old = m_reading && (!isCurrent(this) || m_session->isPaused());
    m_scope->setText(old         ? tr("as of %1").arg(formatter().shortTime(m_reading->serverNowUs))
                     : m_reading ? tr("all engines, now and the last minute")
                                 : tr("is being read"));
    if (!m_reading)
        return;
    const std::int64_t now = shownAtUs();
    for (int i = 0; i < kTiles; ++i)
        m_tiles[static_cast<std::size_t>(i)]->setFace(tileFaceOf(static_cast<Tile>(i), *m_reading, now));
    m_books->setReading(*m_reading, now);
    m_flow->setFace(flowFaceOf(*m_reading, now));
    m_engines->setEngines(m_reading->engines, now);
    Q_EMIT statusChanged();
}

void OverviewPage::tick()
{
    show();
}

QStringList OverviewPage::statusParts() const
{
    if (!m_reading)
        return {};
    std::int64_t all = 0;
    for (const StateCount& one : m_reading->counts)
        all += one.payments;
    return {tr("%1 payments").arg(formatter().count(all)),
            tr("%n engines run", nullptr, static_cast<int>(m_reading->running))};
}

void OverviewPage::retranslate()
{
    m_title->setText(tr("Overview"));
    m_flowTitle->setText(tr("Payments now"));
    m_flowScope->setText(tr("flow of the last minute; line width follows the flow"));
    show();
}

void OverviewPage::changeEvent(QEvent* event)
{
    DeskPage::changeEvent(event);
    if (event->type() == QEvent::LanguageChange)
        retranslate();
}

void OverviewPage::showEvent(QShowEvent* event)
{
    DeskPage::showEvent(event);
    wake();
}

void OverviewPage::paintEvent(QPaintEvent*)
{
    QPainter(this).fillRect(rect(), tokensFor(this).base);
}

} // namespace tekil::ui::overview
