// One window: a person signs in, then works. Its session lives as long as the person is signed in.
#pragma once

#include "ui/shell/desk_page.h"
#include "ui/shell/sign_in_page.h"
#include "ui/shell/standing_bands.h"
#include "ui/shell/top_bar.h"
#include "ui/widgets/rail.h"
#include "ui/widgets/status_line.h"

#include <QPointer>
#include <QSplitter>
#include <QStackedWidget>
#include <QTimer>

#include <functional>

namespace tekil::ui {

// Makes the pages of a session; the window owns them.
using MakePages = std::function<QVector<DeskPage*>(Session*)>;

class MainWindow : public QWidget {
    Q_OBJECT
public:
    MainWindow(const SignInPlace& place, const QString& login, EmbeddedEngine* engine, MakePages makePages);
    ~MainWindow() override;

    SignInPage* signInPage() const { return m_signIn; }
    Session* session() const { return m_session.get(); } // null until someone is signed in
    DeskPage* page() const { return m_page; } // the one that is shown
    DeskPage* page(const QString& id) const;
    Rail* rail() const { return m_rail; }
    StandingBand* connectionBand() const { return m_connectionBand; }
    StandingBand* engineBand() const { return m_engineBand; }
    void showPage(const QString& id);
    TopBar* topBar() const { return m_top; }
    StatusLine* statusLine() const { return m_status; }
    QString connectionText() const { return m_connectionText; }
    void openWhenSignedIn(const QString& recordId) { m_openFirst = recordId; }

Q_SIGNALS:
    void anotherWindowWanted();
    void closing(QCloseEvent* event);

protected:
    void closeEvent(QCloseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void enter(Session* session);
    void leave();
    QWidget* buildFrame(const QVector<DeskPage*>& pages);
    QWidget* buildMiddle();
    void addPage(DeskPage* page);
    void showStanding();
    void act(Notice::Act act);
    QWidget* inspector() const { return m_page ? m_page->inspector() : nullptr; }
    void fillRail();
    void addShortcuts();
    void addShortcut(const QString& keys, std::function<void()> act, QWidget* where);
    void showPersonMenu(const QPoint& at);
    void showInspector(bool shown);
    void fit();
    void tick();
    void showStatus();
    void retitle();
    QString placeName() const;

    EmbeddedEngine* m_engine;
    MakePages m_makePages;
    QStackedWidget* m_stack;
    EnvironmentBand* m_band;
    SignInPage* m_signIn;
    std::unique_ptr<Session> m_session;
    QPointer<QWidget> m_frame;
    QVector<DeskPage*> m_pages; // the frame's
    QPointer<DeskPage> m_page;
    QPointer<QStackedWidget> m_pageStack, m_inspectorStack;
    QPointer<QWidget> m_shown; // pages and inspectors: what grows grey while it is not current
    QPointer<StandingBand> m_connectionBand, m_engineBand;
    QPointer<Pulse> m_pulse;
    QPointer<TopBar> m_top;
    QPointer<Rail> m_rail;
    QPointer<QSplitter> m_split;
    QPointer<StatusLine> m_status;
    QTimer m_seconds;
    QString m_openFirst;
    QString m_connectionText;
};

} // namespace tekil::ui
