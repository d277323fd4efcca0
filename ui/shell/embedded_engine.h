// What the console knows of an engine of its own, beyond what the database says. Implemented in app/console; without a
// local workspace there is none.
#pragma once

#include <QObject>
#include <QString>

#include <cstdint>

namespace tekil::ui {

struct EngineStatus {
    enum class Phase : std::uint8_t {
        Waiting,   // another program is at work in the workspace
        Creating,  // the workspace is made
        Starting,  // its server, then the engine
        Migrating, // the database is brought to this program's schema
        Running,
        Joined,    // another process runs the workspace: no engine here
        Draining,
        Stopped,   // drained
        Failed,    // why is in `problem`
    };
    Phase phase = Phase::Starting;
    QString problem;          // Failed: facts, in English: a taken port with its holder, a refused directory
    bool databaseReady = false; // people can sign in, whatever the engine does
    QString conninfo;         // once databaseReady: without login and password
    QString httpUrl;          // Running: where merchants send payments
    int serverMajor = 0;      // of PostgreSQL; 0: not known yet
    int schemaVersion = 0;
    bool recovering = false;  // the end before was not in order: what was under way is taken up again
    std::int64_t recoveringPayments = 0; // under way at that end
    std::int64_t recoveringUnknown = 0;
    std::uint64_t inFlight = 0;
    std::uint64_t requestsLastMinute = 0;
};

class EmbeddedEngine : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    virtual EngineStatus status() const = 0;
    virtual QString directory() const = 0; // the workspace's
    virtual bool isDemo() const = 0;
    virtual void retry() = 0; // after Failed
    // Stops taking work, ends or hands over what is in flight, leaves the workspace; ends with Stopped. Idempotent.
    virtual void drain() = 0;

Q_SIGNALS:
    void changed();
};

} // namespace tekil::ui
