// Closing the last window asks when payments are on their way, then shows the draining until it is done.
#include "ui/shell/desk.h"

#include "ui/widgets/format.h"

#include <QBoxLayout>
#include <QCloseEvent>
#include <QDialog>
#include <QEvent>
#include <QProgressBar>

namespace tekil::ui {

using namespace Qt::Literals::StringLiterals;

namespace {

// It cannot be closed: it goes when the engine has drained.
class DrainWindow : public QWidget {
public:
    DrainWindow(const QString& title, const QString& words)
        : m_words(new Label(words, Face::Second, QFont::Normal, Ink::Second))
    {
        setWindowTitle(title);
        auto* column = new QVBoxLayout(this);
        column->setContentsMargins(px(24), px(20), px(24), px(20));
        column->setSpacing(px(8));
        column->addWidget(new Label(title, Face::Title, QFont::Bold));
        m_words->setWordWrap(true);
        column->addWidget(m_words);
        auto* bar = new QProgressBar;
        bar->setRange(0, 0);
        bar->setTextVisible(false);
        bar->setAccessibleName(title);
        column->addWidget(bar);
        setFixedWidth(px(440));
    }

protected:
    void closeEvent(QCloseEvent* event) override { event->ignore(); }

private:
    Label* m_words;
};

} // namespace

Desk::Desk(DeskOptions options, EmbeddedEngine* engine, MakePages makePages)
    : m_options(std::move(options)), m_engine(engine), m_makePages(std::move(makePages))
{
    if (engine)
        connect(engine, &EmbeddedEngine::changed, this, &Desk::onEngine);
}

MainWindow* Desk::openWindow()
{
    const bool first = m_windows.isEmpty();
    auto* window = new MainWindow(m_options.place, first ? m_options.login : QString(), m_engine, m_makePages);
    if (first)
        window->openWhenSignedIn(m_options.open);
    m_windows.insert(window);
    connect(window, &MainWindow::anotherWindowWanted, this, [this, window] {
        MainWindow* other = openWindow();
        other->move(window->pos() + QPoint(px(32), px(32)));
    });
    connect(window, &MainWindow::closing, this, [this, window](QCloseEvent* event) { onClosing(window, event); });
    window->show();
    return window;
}

void Desk::onClosing(MainWindow* window, QCloseEvent* event)
{
    if (!m_ending && m_windows.size() == 1 && !mayEnd(window)) {
        event->ignore();
        return;
    }
    m_windows.remove(window);
    if (m_windows.isEmpty() && !m_ending)
        drain();
}

bool Desk::mayEnd(QWidget* over)
{
    if (!m_engine)
        return true;
    const EngineStatus status = m_engine->status();
    const bool busy = status.phase == EngineStatus::Phase::Running
                      && (status.inFlight > 0 || status.requestsLastMinute > 0);
    if (!busy)
        return true;
    QDialog dialog(over);
    dialog.setWindowTitle(tr("Stop the engine"));
    auto* column = new QVBoxLayout(&dialog);
    column->setContentsMargins(px(24), px(20), px(24), px(16));
    column->setSpacing(px(8));
    column->addWidget(new Label(tr("Stop the engine?"), Face::Title, QFont::Bold));
    for (const QString& line :
         {tr("%n payments are on their way.", nullptr, static_cast<int>(status.inFlight)),
          tr("%n requests came in the last minute.", nullptr, static_cast<int>(status.requestsLastMinute)),
          tr("What is on its way is ended or handed over first; merchants get no answer until an engine runs "
             "again.")}) {
        auto* label = new Label(line, Face::Body, QFont::Normal, Ink::Second);
        label->setWordWrap(true);
        column->addWidget(label);
    }
    auto* buttons = new QHBoxLayout;
    buttons->addStretch(1);
    auto* stay = new Button(tr("Keep it running"));
    auto* stop = new Button(tr("Stop the engine"));
    stop->setWeight(Button::Weight::Primary);
    buttons->addWidget(stay);
    buttons->addWidget(stop);
    column->addSpacing(px(8));
    column->addLayout(buttons);
    dialog.setFixedWidth(px(456));
    stay->setDefault(true);
    stay->setFocus();
    connect(stay, &Button::clicked, &dialog, &QDialog::reject);
    connect(stop, &Button::clicked, &dialog, &QDialog::accept);
    return dialog.exec() == QDialog::Accepted;
}

void Desk::end()
{
    m_ending = true;
    const QSet<MainWindow*> open = m_windows;
    for (MainWindow* window : open)
        window->close();
    drain();
}

void Desk::drain()
{
    m_ending = true;
    if (!m_engine || m_engine->status().phase == EngineStatus::Phase::Stopped) {
        Q_EMIT finished();
        return;
    }
    if (!m_progress)
        m_progress = new DrainWindow(
            tr("Ending"), tr("Payments on their way are ended or handed over, then the workspace is closed."));
    m_progress->show();
    m_engine->drain();
}

void Desk::onEngine()
{
    if (!m_ending || m_engine->status().phase != EngineStatus::Phase::Stopped)
        return;
    delete m_progress;
    Q_EMIT finished();
}

} // namespace tekil::ui
