// The application: its windows, the first sign-in, and the end, which drains the engine before anything goes.
#pragma once

#include "ui/shell/main_window.h"

#include <QSet>

namespace tekil::ui {

struct DeskOptions {
    SignInPlace place;
    QString login;
    QString open; // a record to open after the first sign-in
};

class Desk : public QObject {
    Q_OBJECT
public:
    // `engine` may be null: then the last window's close is the end.
    Desk(DeskOptions options, EmbeddedEngine* engine, MakePages makePages);

    MainWindow* openWindow();
    // Ends as the last window's close does, without a question: a signal to the process.
    void end();

Q_SIGNALS:
    void finished();

private:
    void onClosing(MainWindow* window, QCloseEvent* event);
    bool mayEnd(QWidget* over);
    void drain();
    void onEngine();

    DeskOptions m_options;
    EmbeddedEngine* m_engine;
    MakePages m_makePages;
    QSet<MainWindow*> m_windows;
    QPointer<QWidget> m_progress;
    bool m_ending = false;
};

} // namespace tekil::ui
