// Everything here runs on the listener's thread; it may wait, the window does not.
#include "ui/db/listener.h"

#include "sql_console.h"
#include "ui/db/list_query.h"

#include <QRandomGenerator>
#include <QSqlDriver>
#include <QThread>

#include <algorithm>

namespace tekil::ui {

using namespace Qt::Literals::StringLiterals;

namespace {

constexpr int kHeartMs = 2'000;
constexpr int kFactsBeats = 5; // the contract and the person's role are read again at every fifth beat
constexpr int kFirstBackoffMs = 500;
constexpr int kLongestBackoffMs = 30'000;

int backoffMs(int attempt)
{
    const int doubled = attempt > 7 ? kLongestBackoffMs : std::min(kLongestBackoffMs, kFirstBackoffMs << attempt);
    // Spread, so that many consoles do not come back in one moment.
    return doubled * 4 / 5 + QRandomGenerator::global()->bounded(doubled * 2 / 5);
}

} // namespace

Listener::Listener(const Profile& profile, const QString& password)
    : m_profile(profile), m_password(password), m_heart(this), m_retry(this)
{
    m_heart.setInterval(kHeartMs);
    m_retry.setSingleShot(true);
    connect(&m_heart, &QTimer::timeout, this, &Listener::feel);
    connect(&m_retry, &QTimer::timeout, this, &Listener::tryOpen);
}

void Listener::start()
{
    m_connection = new Connection(m_profile, m_password, u"listener"_s, m_wire);
    tryOpen();
}

void Listener::retryNow()
{
    if (!m_heart.isActive()) {
        m_retry.stop();
        tryOpen();
    }
}

void Listener::checkNow()
{
    if (m_heart.isActive())
        feel();
}

void Listener::end()
{
    m_heart.stop();
    m_retry.stop();
    delete m_connection;
    m_connection = nullptr;
    QThread::currentThread()->quit();
}

void Listener::tryOpen()
{
    Q_EMIT connecting();
    const std::optional<OpenError> error = m_connection->open();
    if (!error)
        return settle();
    switch (error->kind) {
    case OpenError::Kind::Unreachable: return waitToTry(error->detail);
    case OpenError::Kind::BadPassword: return refuse(Refusal::BadPassword, error->detail);
    case OpenError::Kind::Options: return refuse(Refusal::Options, error->detail);
    case OpenError::Kind::Refused: break;
    }
    if (m_wasOpen)
        waitToTry(error->detail);
    else
        refuse(Refusal::Other, error->detail);
}

void Listener::settle()
{
    const std::optional<SessionFacts> facts = readFacts();
    if (!facts)
        return;
    connect(m_connection->driver(), &QSqlDriver::notification, this, &Listener::doorbell, Qt::UniqueConnection);
    const bool hears = m_connection->driver()->subscribeToNotification(u"tekil_changed"_s);
    m_attempt = 0;
    m_wasOpen = true;
    m_heart.start();
    Q_EMIT opened(*facts, hears);
}

// Nothing, after it has said why, where the database is not ours or the person is not of it.
std::optional<SessionFacts> Listener::readFacts()
{
    const Result<Rows> version = m_connection->run(statement(sql::console::session::version));
    if (!version) {
        const QString detail = QString::fromStdString(version.error().detail);
        switch (version.error().code) {
        case ErrorCode::DatabaseUnavailable: waitToTry(detail); break;
        case ErrorCode::PermissionDenied: refuse(Refusal::NotAnOperator, detail); break;
        case ErrorCode::SchemaMismatch: refuse(Refusal::NoContract, detail); break;
        default: waitToTry(detail);
        }
        return std::nullopt;
    }
    const int found = static_cast<int>(version->front().int64(0));
    if (found != kConsoleVersion) {
        m_connection->close();
        Q_EMIT wrongSchema(found);
        m_retry.start(kLongestBackoffMs / 3);
        return std::nullopt;
    }
    const Result<Rows> session = m_connection->run(statement(sql::console::session::facts));
    if (!session) {
        waitToTry(QString::fromStdString(session.error().detail));
        return std::nullopt;
    }
    const Row& row = session->front();
    if (row.isNull(1) || row.boolean(2)) {
        refuse(row.isNull(1) ? Refusal::NotAnOperator : Refusal::Disabled, row.text(0));
        return std::nullopt;
    }
    return SessionFacts{row.text(0), row.text(1), row.text(3), row.text(4), static_cast<int>(row.int64(5)),
                        row.int64(6)};
}

void Listener::feel()
{
    if (++m_beats % kFactsBeats == 0)
        return checkFacts();
    const Result<Rows> now = m_connection->run(statement(sql::console::session::heartbeat));
    if (now)
        Q_EMIT alive(now->front().int64(0));
    else
        fail(QString::fromStdString(now.error().detail));
}

// An upgrade under a living connection, a role that was taken away: the window must know, not find out by a refusal.
void Listener::checkFacts()
{
    if (!m_heart.isActive())
        return;
    if (const std::optional<SessionFacts> facts = readFacts())
        Q_EMIT alive(facts->serverNowUs);
    else
        m_heart.stop();
}

void Listener::fail(const QString& why)
{
    m_heart.stop();
    m_connection->close();
    m_attempt = 0;
    Q_EMIT lost(why);
    waitToTry(why);
}

void Listener::waitToTry(const QString& why)
{
    m_connection->close();
    const int delay = backoffMs(m_attempt++);
    m_retry.start(delay);
    Q_EMIT waiting(m_attempt, delay, why);
}

void Listener::refuse(Refusal refusal, const QString& detail)
{
    m_connection->close();
    Q_EMIT refused(refusal, detail);
}

} // namespace tekil::ui
