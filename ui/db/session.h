// One operator's login: what pages ask, what state the connection is in, and when something changed.
#pragma once

#include "ui/db/listener.h"
#include "ui/db/worker.h"

#include <QHash>
#include <QPointer>

#include <array>
#include <functional>

namespace tekil::ui {

// Read: lists. Inspector: the selected record, so that a slow list does not hold it up.
enum class Lane : std::uint8_t { Read, Inspector };

struct ConnectionState {
    enum class Kind : std::uint8_t {
        Connecting,   // the first time
        Live,         // changes are heard
        Polling,      // reading works, hearing does not: asked every two seconds
        Reconnecting, // lost: what is shown is as of dataAsOfUs()
        WrongSchema,
        Refused,
    };
    Kind kind = Kind::Connecting;
    int attempt = 0;               // Reconnecting: the try that comes next
    std::int64_t nextTryAtUs = 0;  // Reconnecting: when, by this machine's clock; 0 while one runs
    std::int64_t lostAtUs = 0;     // Reconnecting: when the loss was noticed
    Refusal refusal = Refusal::None;
    int schemaFound = 0;           // WrongSchema
    QString detail;                // the server's or libpq's own words
    bool reads() const { return kind == Kind::Live || kind == Kind::Polling; }
};

class Session : public QObject {
    Q_OBJECT
public:
    using Then = std::function<void(const Answer&)>;

    // The password is kept in memory as long as the session and its threads live.
    Session(const Profile& profile, const QString& password, QObject* parent = nullptr);
    ~Session() override; // waits for nothing

    // Connects; once.
    void open();
    void retryNow();

    const Profile& profile() const { return m_profile; }
    const ConnectionState& state() const { return m_state; }
    const SessionFacts& facts() const { return m_facts; } // of the last time it was open

    // Runs the queries, more than one in one snapshot; `then` is called on this thread, unless `context` is gone or the
    // request was cancelled.
    quint64 ask(Lane lane, const QVector<Query>& queries, QObject* context, Then then);
    // Drops the answer, and stops the statement on the server if it runs.
    void cancel(quint64 id);

    void setPaused(bool paused);
    bool isPaused() const { return m_paused; }

    // The server's clock, as far as it is known.
    std::int64_t serverNowUs() const;
    // Up to when, by this machine's clock, what is shown is known to be right.
    // Paused, or while a list waits for its answer, that is its last reading; else nothing was signalled until now.
    std::int64_t dataAsOfUs() const;

Q_SIGNALS:
    void stateChanged();
    void changed(); // something may have changed: read again. At most every kFeedMs

private:
    struct Waiting {
        Lane lane;
        QPointer<QObject> context;
        Then then;
        std::shared_ptr<std::atomic<bool>> cancelled;
        std::int64_t askedAtUs = 0;
    };

    void connectListener();
    void setState(const ConnectionState& state);
    void onOpened(const SessionFacts& facts, bool hears);
    void onLost(const QString& why);
    void onWaiting(int attempt, int delayMs, const QString& why);
    void onAnswer(const Answer& answer);
    void ring();
    void watch();
    Worker* worker(Lane lane) const { return m_workers[static_cast<std::size_t>(lane)]; }

    Profile m_profile;
    Listener* m_listener;
    std::array<Worker*, 2> m_workers;
    ConnectionState m_state;
    SessionFacts m_facts;
    QHash<quint64, Waiting> m_waiting;
    quint64 m_nextId = 1;
    bool m_paused = false;
    std::int64_t m_clockAheadUs = 0; // the server's clock less ours
    std::int64_t m_aliveAtUs = 0;
    std::int64_t m_readAtUs = 0; // when the last list that has come began to be read
    std::chrono::nanoseconds m_heardAt{0};
    std::chrono::nanoseconds m_rangAt{0};
    QTimer m_feed; // one refresh for many notifications
    QTimer m_net; // reads again even if nothing was heard
    QTimer m_watch;
};

} // namespace tekil::ui
