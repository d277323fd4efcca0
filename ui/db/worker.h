// A thread that reads: takes requests in order, runs them on its own connection, and answers by signal.
#pragma once

#include "ui/db/connection.h"

#include <QObject>
#include <QThread>

#include <atomic>
#include <chrono>
#include <memory>

namespace tekil::ui {

struct Request {
    quint64 id = 0;
    QVector<Query> queries; // more than one: of one snapshot
    std::shared_ptr<std::atomic<bool>> cancelled;
};

struct Answer {
    quint64 id = 0;
    QVector<Rows> rows; // one for each query; empty on an error
    std::optional<Error> error;
    std::int64_t askedAtUs = 0; // this machine's clock when the first query began: the data is at least that new
    bool failed() const { return error.has_value(); }
};

// Lives in its own thread; only wire(), busySince() and runs() may be used from another.
class Worker : public QObject {
    Q_OBJECT
public:
    Worker(const Profile& profile, const QString& password, const QString& purpose);

    Wire& wire() { return *m_wire; }
    bool runs(quint64 id) const { return m_current.load() == id; }
    // The boot time at which the current request began, or zero.
    std::chrono::nanoseconds busySince() const { return std::chrono::nanoseconds(m_busySince.load()); }

    void run(const Request& request);
    void end();

Q_SIGNALS:
    void answered(const tekil::ui::Answer& answer);

private:
    Result<QVector<Rows>> attempt(const Request& request);

    Profile m_profile;
    QString m_password;
    QString m_purpose;
    std::shared_ptr<Wire> m_wire = std::make_shared<Wire>();
    std::unique_ptr<Connection> m_connection;
    std::atomic<quint64> m_current{0};
    std::atomic<std::int64_t> m_busySince{0};
};

// Starts a thread for the object and lets both end by themselves: nobody has to wait for a thread that connects.
QThread* startThread(QObject* worker, const QString& name);
// Waits until the threads that were told to end have ended; for the very end of the process.
void waitForThreads(std::chrono::milliseconds within);

} // namespace tekil::ui
