// The frame is made anew for each person who signs in, so that nothing of the one before stays.
#include "ui/shell/main_window.h"

#include "core/base/clock.h"
#include "ui/shell/appearance.h"
#include "ui/shell/desk_page.h"
#include "ui/shell/find_box.h"
#include "ui/shell/help_window.h"
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
    connect(session, &Session::stateChanged, this, &MainWindow::showStatus);
    addShortcuts();
    fit();
    retitle();
    showStatus();
    m_page->focusContent();
    if (!m_openFirst.isEmpty())
        m_page->open(std::exchange(m_openFirst, {}));
}

void MainWindow::leave()
{
    m_stack->setCurrentWidget(m_signIn);
    delete m_frame;
    m_session.reset();
    m_signIn->clearPassword();
    retitle();
}

QWidget* MainWindow::buildFrame(const QVector<DeskPage*>& pages)
{
    m_page = pages.front();
    auto* frame = new QWidget;
    auto* column = new QVBoxLayout(frame);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_top = new TopBar(m_session.get(), m_signIn->place().environment, placeName(), frame);
    column->addWidget(m_top);
    auto* middle = new QHBoxLayout;
    middle->setSpacing(0);
    m_rail = new Rail;
    fillRail();
    middle->addWidget(m_rail);
    m_split = new QSplitter(Qt::Horizontal);
    m_split->setHandleWidth(1);
    m_split->setChildrenCollapsible(false);
    m_split->addWidget(m_page);
    QWidget* inspector = m_page->inspector();
    inspector->setMinimumWidth(px(kInspectorLeast));
    inspector->setMaximumWidth(px(kInspectorMost));
    m_split->addWidget(inspector);
    m_split->setStretchFactor(0, 1);
    m_split->setStretchFactor(1, 0);
    const int width = std::max(1, QSettings().value(u"window/inspectorWidth"_s, px(kInspector)).toInt());
    m_split->setSizes({px(800), width});
    connect(m_split, &QSplitter::splitterMoved, this,
            [this] { QSettings().setValue(u"window/inspectorWidth"_s, m_split->sizes().value(1)); });
    middle->addWidget(m_split, 1);
    column->addLayout(middle, 1);
    m_status = new StatusLine;
    column->addWidget(m_status);
    m_top->findBox()->setPage(m_page);
    connect(m_top, &TopBar::personMenuRequested, this, &MainWindow::showPersonMenu);
    connect(m_page, &DeskPage::statusChanged, this, &MainWindow::showStatus);
    connect(m_page, &DeskPage::inspectorWanted, this, &MainWindow::showInspector);
    inspector->setVisible(QSettings().value(u"window/inspector"_s, true).toBool());
    return frame;
}

void MainWindow::fillRail()
{
    if (!m_rail || !m_page)
        return;
    m_rail->setItems({{m_page->id(), m_page->word(), m_page->icon()}});
    m_rail->setChosen(m_page->id());
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
    addShortcut(u"Ctrl+1"_s, [this] { m_page->focusContent(); }, m_frame);
    addShortcut(u"F5"_s, [this] { m_page->refreshNow(); }, m_frame);
    addShortcut(u"F4"_s, [this] { showInspector(!m_page->inspector()->isVisible()); }, m_frame);
    addShortcut(u"Ctrl+Shift+Space"_s, [this] { m_session->setPaused(!m_session->isPaused()); }, m_frame);
    addShortcut(u"Ctrl+Shift+K"_s, [this] { m_page->showColumns(); }, m_frame);
    addShortcut(u"Ctrl+Shift+U"_s, [] { toggleZone(); }, m_frame);
}

void MainWindow::showInspector(bool shown)
{
    m_page->inspector()->setVisible(shown);
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
    m_page->tick();
    showStatus();
}

void MainWindow::showStatus()
{
    if (!m_frame)
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
        if (status.phase == EngineStatus::Phase::Failed)
            parts << tr("Engine does not run: %1").arg(status.problem);
        else if (status.phase == EngineStatus::Phase::Running)
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
    showStatus();
}

} // namespace tekil::ui
