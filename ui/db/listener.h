// The connection that watches: signs in, checks the contract, hears NOTIFY, feels the heart, comes back after a loss.
#pragma once

#include "ui/db/connection.h"

#include <QObject>
#include <QTimer>

#include <atomic>

namespace tekil::ui {

// The version of schema console that this console understands.
inline constexpr int kConsoleVersion = 2;

// What the database says about itself and the person.
struct SessionFacts {
    QString login;
    QString role; // "operations"
    QString database;
    QString serverVersion; // "15.4"
    int schemaVersion = 0;
    std::int64_t serverNowUs = 0;
};

enum class Refusal : std::uint8_t {
    None,
    BadPassword,
    NotAnOperator, // the login exists, but is no person of this database
    Disabled,
    NoContract,    // there is no schema console: not a Tekil database
    Options,       // the conninfo cannot be used
    Other,         // in the server's words
};

class Listener : public QObject {
    Q_OBJECT
public:
    Listener(const Profile& profile, const QString& password);

    Wire& wire() { return *m_wire; }

    void start();
    void retryNow();
    void checkNow(); // a reader lost its connection: feel at once
    void checkFacts(); // a reader was refused: the contract or the role may have changed
    void end();

Q_SIGNALS:
    void connecting();
    void opened(const tekil::ui::SessionFacts& facts, bool hears);
    void refused(tekil::ui::Refusal refusal, const QString& detail);
    void wrongSchema(int found);
    void lost(const QString& why);
    void waiting(int attempt, int delayMs, const QString& why);
    void alive(qint64 serverNowUs);
    void doorbell();

private:
    void tryOpen();
    void settle();
    std::optional<SessionFacts> readFacts();
    void feel();
    void fail(const QString& why);
    void waitToTry(const QString& why);
    void refuse(Refusal refusal, const QString& detail);

    std::shared_ptr<Wire> m_wire = std::make_shared<Wire>();
    Connection* m_connection = nullptr;
    Profile m_profile;
    QString m_password;
    QTimer m_heart;
    QTimer m_retry;
    int m_attempt = 0;
    bool m_wasOpen = false; // once signed in, a refusal is a state of the server and is tried again
    int m_beats = 0;
};

} // namespace tekil::ui
