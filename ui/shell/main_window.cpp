// The frame is made anew for each person who signs in, so that nothing of the one before stays.
#include "ui/shell/main_window.h"

#include "core/base/clock.h"
#include "ui/shell/appearance.h"
#include "ui/shell/desk_page.h"
#include "ui/shell/find_box.h"
#include "ui/shell/help_window.h"
#include "ui/shell/standing_bands.h"
#include "ui/shell/top_bar.h"
#include "ui/widgets/rail.h"
#include "ui/widgets/status_line.h"

#include <QApplication>
#include <QBoxLayout>
#include <QCloseEvent>
#include <QMenu>
#include <QSettings>
#include <QShortcut>
#include <QSplitter>

namespace tekil::ui {

using namespace Qt::Literals::StringLiterals;

namespace {

constexpr int kFoldBelow = 1360;
constexpr int kInspector = 472, kInspectorLeast = 400, kInspectorMost = 640;

} // namespace

MainWindow::MainWindow(const SignInPlace& place, const QString& login, EmbeddedEngine* engine, MakePages makePages)
    : m_engine(engine), m_makePages(std::move(makePages)), m_stack(new QStackedWidget),
      m_band(new EnvironmentBand(place.environment)), m_signIn(new SignInPage(place, login, engine))
{
    setAttribute(Qt::WA_DeleteOnClose);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_band);
    column->addWidget(m_stack, 1);
    m_stack->addWidget(m_signIn);
    connect(m_signIn, &SignInPage::signedIn, this, &MainWindow::enter);
    if (engine)
        connect(engine, &EmbeddedEngine::changed, this, &MainWindow::showStanding);
    connect(&m_seconds, &QTimer::timeout, this, &MainWindow::tick);
    m_seconds.start(1000);
    addShortcut(u"Ctrl+Shift+D"_s, [] { toggleTheme(); }, this);
    addShortcut(u"F1"_s, [this] { HelpWindow::open(m_page ? m_page->id() : u"getting-started"_s); }, this);
    setMinimumSize(px(1024), px(640));
    if (!restoreGeometry(QSettings().value(u"window/geometry"_s).toByteArray()))
        resize(px(1440), px(900));
    retitle();
}

MainWindow::~MainWindow()
{
    // The pages wait for answers of the session: they go first.
    delete m_frame;
}

QString MainWindow::placeName() const
{
    const QString& name = m_signIn->place().name;
    if (!name.isEmpty())
        return name;
    return m_session ? m_session->facts().database : tr("workspace on this computer");
}

void MainWindow::enter(Session* session)
{
    m_session.reset(session);
    m_band->setEnvironment(m_signIn->place().environment);
    m_frame = buildFrame(m_makePages(session));
    m_stack->addWidget(m_frame);
    m_stack->setCurrentWidget(m_frame);
    connect(session, &Session::stateChanged, this, &MainWindow::showStanding);
    addShortcuts();
    fit();
    retitle();
    showPage(m_pages.front()->id());
    showStanding();
    if (m_openFirst.isEmpty())
        return;
    for (DeskPage* page : std::as_const(m_pages))
        if (page->finds()) {
            page->open(std::exchange(m_openFirst, {}));
            break;
        }
}

void MainWindow::leave()
{
    m_stack->setCurrentWidget(m_signIn);
    delete m_frame;
    m_pages.clear();
    m_session.reset();
    m_signIn->clearPassword();
    retitle();
}

QWidget* MainWindow::buildFrame(const QVector<DeskPage*>& pages)
{
    m_pages = pages;
    auto* frame = new QWidget;
    auto* column = new QVBoxLayout(frame);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_top = new TopBar(m_session.get(), m_signIn->place().environment, placeName(), frame);
    column->addWidget(m_top);
    auto* middle = new QHBoxLayout;
    middle->setSpacing(0);
    m_rail = new Rail;
    middle->addWidget(m_rail);
    middle->addWidget(buildMiddle(), 1);
    column->addLayout(middle, 1);
    m_status = new StatusLine;
    column->addWidget(m_status);
    for (DeskPage* page : pages)
        addPage(page);
    fillRail();
    connect(m_rail, &Rail::activated, this, &MainWindow::showPage);
    connect(m_top, &TopBar::personMenuRequested, this, &MainWindow::showPersonMenu);
    m_pulse = new Pulse(m_session.get(), frame);
    connect(m_pulse, &Pulse::changed, this, &MainWindow::showStanding);
    return frame;
}

// The bands stand above page and inspector: they are about both, and stay coloured while those grow grey.
QWidget* MainWindow::buildMiddle()
{
    auto* middle = new QWidget;
    auto* column = new QVBoxLayout(middle);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_connectionBand = new StandingBand;
    m_engineBand = new StandingBand;
    for (StandingBand* band : {m_connectionBand.data(), m_engineBand.data()}) {
        column->addWidget(band);
        connect(band, &StandingBand::actRequested, this, &MainWindow::act, Qt::QueuedConnection);
    }
    m_split = new QSplitter(Qt::Horizontal);
    m_split->setHandleWidth(1);
    m_split->setChildrenCollapsible(false);
    m_shown = m_split;
    m_pageStack = new QStackedWidget;
    m_inspectorStack = new QStackedWidget;
    m_inspectorStack->setMinimumWidth(px(kInspectorLeast));
    m_inspectorStack->setMaximumWidth(px(kInspectorMost));
    m_split->addWidget(m_pageStack);
    m_split->addWidget(m_inspectorStack);
    m_split->setStretchFactor(0, 1);
    m_split->setStretchFactor(1, 0);
    const int width = std::max(1, QSettings().value(u"window/inspectorWidth"_s, px(kInspector)).toInt());
    m_split->setSizes({px(800), width});
    connect(m_split, &QSplitter::splitterMoved, this,
            [this] { QSettings().setValue(u"window/inspectorWidth"_s, m_split->sizes().value(1)); });
    column->addWidget(m_split, 1);
    return middle;
}

void MainWindow::addPage(DeskPage* page)
{
    m_pageStack->addWidget(page);
    if (QWidget* inspector = page->inspector())
        m_inspectorStack->addWidget(inspector);
    if (page->finds())
        m_top->findBox()->setPage(page);
    connect(page, &DeskPage::statusChanged, this, [this, page] {
        if (page == m_page)
            showStatus();
    });
    connect(page, &DeskPage::inspectorWanted, this, [this, page](bool shown) {
        if (shown)
            showPage(page->id());
        showInspector(shown);
    });
    connect(page, &DeskPage::listWanted, this, [this](const QString& id, const QString& filter) {
        if (DeskPage* other = this->page(id)) {
            showPage(id);
            other->showFiltered(filter);
        }
    });
}

DeskPage* MainWindow::page(const QString& id) const
{
    for (DeskPage* page : m_pages)
        if (page->id() == id)
            return page;
    return nullptr;
}

void MainWindow::showPage(const QString& id)
{
    DeskPage* page = this->page(id);
    if (!page)
        return;
    m_page = page;
    m_rail->setChosen(id);
    m_pageStack->setCurrentWidget(page);
    if (QWidget* inspector = page->inspector())
        m_inspectorStack->setCurrentWidget(inspector);
    m_inspectorStack->setVisible(page->inspector() && QSettings().value(u"window/inspector"_s, true).toBool());
    page->focusContent();
    showStatus();
}

void MainWindow::fillRail()
{
    if (!m_rail)
        return;
    QVector<Rail::Item> items;
    for (const DeskPage* page : std::as_const(m_pages))
        items.append({page->id(), page->word(), page->icon(),
                      page->id() == u"unknown"_s ? BadgeKind::Unknown : BadgeKind::Outlined, items.size() == 1});
    m_rail->setItems(items);
    if (m_page)
        m_rail->setChosen(m_page->id());
}

// What every page stands under: one mechanism, so that none can forget it.
void MainWindow::showStanding()
{
    if (!m_frame)
        return;
    const ConnectionState& state = m_session->state();
    setCurrent(m_shown, state.reads() || state.kind == ConnectionState::Kind::Connecting);
    const auto connection = connectionNotice(state, m_session->dataAsOfUs(), wallClockUs());
    m_connectionBand->showNotice(connection);
    std::optional<EngineStatus> own;
    if (m_engine)
        own = m_engine->status();
    // Of other engines nothing is known while the database is not heard.
    m_engineBand->showNotice(engineNotice(
        own ? &*own : nullptr, connection ? std::optional<PulseFacts>() : m_pulse->facts(), m_session->serverNowUs()));
    if (const auto& facts = m_pulse->facts())
        m_rail->setBadge(u"unknown"_s, static_cast<int>(std::min<std::int64_t>(facts->unknown, 99'999)));
    showStatus();
}

void MainWindow::act(Notice::Act act)
{
    switch (act) {
    case Notice::Act::None: return;
    case Notice::Act::TryNow: m_session->retryNow(); return;
    case Notice::Act::SignIn: leave(); return;
    case Notice::Act::StartEngine:
        if (m_engine)
            m_engine->retry();
        return;
    }
}

void MainWindow::addShortcut(const QString& keys, std::function<void()> act, QWidget* where)
{
    auto* shortcut = new QShortcut(QKeySequence(keys), where);
    shortcut->setContext(Qt::WindowShortcut);
    connect(shortcut, &QShortcut::activated, where, std::move(act));
}

void MainWindow::addShortcuts()
{
    addShortcut(u"Ctrl+K"_s, [this] { m_top->findBox()->focusFind(); }, m_frame);
    for (const QString& keys : {u"Ctrl+F"_s, u"/"_s})
        addShortcut(keys, [this] { m_page->focusFilter(); }, m_frame);
    for (int i = 0; i < m_pages.size() && i < 9; ++i)
        addShortcut(u"Ctrl+%1"_s.arg(i + 1), [this, i] { showPage(m_pages.at(i)->id()); }, m_frame);
    addShortcut(u"F5"_s, [this] { m_page->refreshNow(); }, m_frame);
    addShortcut(u"F4"_s, [this] { showInspector(inspector() && !inspector()->isVisible()); }, m_frame);
    addShortcut(u"Ctrl+Shift+Space"_s, [this] { m_session->setPaused(!m_session->isPaused()); }, m_frame);
    addShortcut(u"Ctrl+Shift+K"_s, [this] { m_page->showColumns(); }, m_frame);
    addShortcut(u"Ctrl+Shift+U"_s, [] { toggleZone(); }, m_frame);
}

void MainWindow::showInspector(bool shown)
{
    if (!inspector())
        return;
    m_inspectorStack->setVisible(shown);
    QSettings().setValue(u"window/inspector"_s, shown);
    if (!shown)
        m_page->focusContent();
}

void MainWindow::showPersonMenu(const QPoint& at)
{
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(tr("Sign in as another person…"), this, &MainWindow::anotherWindowWanted);
    menu->addAction(tr("Sign out"), this, &MainWindow::leave);
    menu->addSeparator();
    menu->addAction(currentTheme() == Theme::Light ? tr("Dark colours") : tr("Light colours"),
                    QKeySequence(u"Ctrl+Shift+D"_s), this, [] { toggleTheme(); });
    menu->addAction(formatter().zone() == QTimeZone::utc() ? tr("Times of this computer") : tr("Times in UTC"),
                    QKeySequence(u"Ctrl+Shift+U"_s), this, [] { toggleZone(); });
    const bool turkish = formatter().language() == Language::Turkish;
    menu->addAction(turkish ? u"English"_s : u"Türkçe"_s, this,
                    [turkish] { setLanguage(turkish ? Language::English : Language::Turkish); });
    menu->addSeparator();
    menu->addAction(tr("Help"), QKeySequence(u"F1"_s), this, [this] { HelpWindow::open(m_page->id()); });
    menu->popup(at);
}

void MainWindow::fit()
{
    if (!m_frame)
        return;
    const bool narrow = width() < px(kFoldBelow);
    m_rail->setFolded(narrow);
    m_top->setCompact(narrow);
}

void MainWindow::tick()
{
    if (!m_frame)
        return;
    m_top->tick();
    for (DeskPage* page : std::as_const(m_pages))
        page->tick();
    showStanding();
}

void MainWindow::showStatus()
{
    if (!m_frame || !m_page)
        return;
    const std::int64_t ageUs = std::max<std::int64_t>(0, wallClockUs() - m_session->dataAsOfUs());
    const QString age = ageUs < 10'000'000 ? formatter().amount(ageUs / 100'000, 1)
                                                 + (formatter().language() == Language::Turkish ? u" sn"_s : u" s"_s)
                                           : formatter().age(ageUs);
    const bool reads = m_session->state().reads();
    const QString word = reads ? m_session->isPaused() ? tr("Paused") : tr("Connected") : tr("Not connected");
    m_connectionText = tr("%1 · data %2 old", "connected or not, how old").arg(word, age);
    m_status->setConnection(m_connectionText, reads);
    QStringList parts = m_page->statusParts();
    if (m_engine) {
        const EngineStatus status = m_engine->status();
        if (status.phase == EngineStatus::Phase::Running)
            parts << tr("Engine %1").arg(status.httpUrl);
    }
    m_status->setParts(parts);
}

void MainWindow::retitle()
{
    const QString world = wordOf(m_signIn->place().environment);
    setWindowTitle(m_session ? u"%1 · %2 · %3 · Tekil"_s.arg(world, placeName(), m_session->facts().login)
                             : u"%1 · %2 · Tekil"_s.arg(world, placeName()));
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    QSettings().setValue(u"window/geometry"_s, saveGeometry());
    Q_EMIT closing(event);
}

void MainWindow::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fit();
}

void MainWindow::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() != QEvent::LanguageChange)
        return;
    fillRail();
    retitle();
    showStanding();
}

} // namespace tekil::ui
