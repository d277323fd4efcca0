// Keeps the connection's state on the GUI thread, from what the threads say and from what they fail to say.
#include "ui/db/session.h"

#include "core/base/clock.h"
#include <algorithm>

namespace tekil::ui {

using namespace Qt::Literals::StringLiterals;

namespace {

using namespace std::chrono_literals;

constexpr auto kFeed = 250ms;
constexpr int kNetMs = 10'000;
constexpr int kPollMs = 2'000;
// A heartbeat comes every 2 s and may take 5 s; a request may connect (5 s) and run (5 s).
constexpr auto kSilence = 8s;
constexpr auto kStuck = 12s;

} // namespace

Session::Session(const Profile& profile, const QString& password, QObject* parent)
    : QObject(parent), m_profile(profile), m_listener(new Listener(profile, password)),
      m_workers{new Worker(profile, password, u"lists"_s), new Worker(profile, password, u"inspector"_s)}
{
    startThread(m_listener, u"listener"_s);
    for (Worker* one : m_workers) {
        startThread(one, one == m_workers[0] ? u"read"_s : u"inspector"_s);
        connect(one, &Worker::answered, this, &Session::onAnswer);
    }
    connectListener();
    m_feed.setSingleShot(true);
    connect(&m_feed, &QTimer::timeout, this, &Session::ring);
    connect(&m_net, &QTimer::timeout, this, &Session::ring);
    connect(&m_watch, &QTimer::timeout, this, &Session::watch);
    m_watch.start(500);
}

Session::~Session()
{
    m_listener->disconnect(this);
    m_listener->wire().breakOff();
    QMetaObject::invokeMethod(m_listener, &Listener::end, Qt::QueuedConnection);
    for (const Waiting& one : std::as_const(m_waiting))
        one.cancelled->store(true);
    for (Worker* one : m_workers) {
        one->disconnect(this);
        one->wire().breakOff();
        QMetaObject::invokeMethod(one, &Worker::end, Qt::QueuedConnection);
    }
}

void Session::connectListener()
{
    connect(m_listener, &Listener::connecting, this, [this] {
        m_heardAt = bootTime();
        if (m_state.kind == ConnectionState::Kind::Reconnecting) {
            ConnectionState next = m_state;
            next.nextTryAtUs = 0;
            setState(next);
        }
    });
    connect(m_listener, &Listener::opened, this, &Session::onOpened);
    connect(m_listener, &Listener::lost, this, &Session::onLost);
    connect(m_listener, &Listener::waiting, this, &Session::onWaiting);
    connect(m_listener, &Listener::refused, this, [this](Refusal refusal, const QString& detail) {
        ConnectionState next;
        next.kind = ConnectionState::Kind::Refused;
        next.refusal = refusal;
        next.detail = detail;
        setState(next);
    });
    connect(m_listener, &Listener::wrongSchema, this, [this](int found) {
        ConnectionState next;
        next.kind = ConnectionState::Kind::WrongSchema;
        next.schemaFound = found;
        setState(next);
    });
    connect(m_listener, &Listener::alive, this, [this](qint64 serverNowUs) {
        m_heardAt = bootTime();
        m_aliveAtUs = wallClockUs();
        m_clockAheadUs = serverNowUs - m_aliveAtUs;
    });
    connect(m_listener, &Listener::doorbell, this, [this] {
        if (m_feed.isActive())
            return;
        const auto since = bootTime() - m_rangAt;
        const auto wait = since >= kFeed ? 0ms : std::chrono::ceil<std::chrono::milliseconds>(kFeed - since);
        m_feed.start(wait);
    });
}

void Session::open()
{
    m_heardAt = bootTime();
    QMetaObject::invokeMethod(m_listener, &Listener::start, Qt::QueuedConnection);
}

void Session::retryNow()
{
    QMetaObject::invokeMethod(m_listener, &Listener::retryNow, Qt::QueuedConnection);
}

void Session::setState(const ConnectionState& state)
{
    m_state = state;
    if (!state.reads())
        m_net.stop();
    Q_EMIT stateChanged();
}

void Session::onOpened(const SessionFacts& facts, bool hears)
{
    m_facts = facts;
    m_heardAt = bootTime();
    m_aliveAtUs = wallClockUs();
    m_clockAheadUs = facts.serverNowUs - m_aliveAtUs;
    ConnectionState next;
    next.kind = hears ? ConnectionState::Kind::Live : ConnectionState::Kind::Polling;
    setState(next);
    m_net.start(hears ? kNetMs : kPollMs);
    ring(); // what happened while nobody listened
}

void Session::onLost(const QString& why)
{
    ConnectionState next;
    next.kind = ConnectionState::Kind::Reconnecting;
    next.lostAtUs = wallClockUs();
    next.detail = why;
    setState(next);
}

void Session::onWaiting(int attempt, int delayMs, const QString& why)
{
    m_heardAt = bootTime();
    ConnectionState next = m_state;
    next.kind = ConnectionState::Kind::Reconnecting;
    if (next.lostAtUs == 0)
        next.lostAtUs = wallClockUs();
    next.attempt = attempt;
    next.nextTryAtUs = wallClockUs() + std::int64_t{delayMs} * 1000;
    next.detail = why;
    setState(next);
}

quint64 Session::ask(Lane lane, const QVector<Query>& queries, QObject* context, Then then)
{
    const quint64 id = m_nextId++;
    Request request{id, queries, std::make_shared<std::atomic<bool>>(false)};
    m_waiting.insert(id, Waiting{lane, context, std::move(then), request.cancelled, wallClockUs()});
    if (m_state.kind == ConnectionState::Kind::WrongSchema || m_state.kind == ConnectionState::Kind::Refused) {
        // Nothing is asked of a database that speaks otherwise, or as somebody whom it does not let in.
        Answer refused;
        refused.id = id;
        refused.error = Error{m_state.kind == ConnectionState::Kind::WrongSchema ? ErrorCode::SchemaMismatch
                                                                                 : ErrorCode::PermissionDenied,
                              m_state.detail.toStdString()};
        QMetaObject::invokeMethod(this, [this, refused] { onAnswer(refused); }, Qt::QueuedConnection);
        return id;
    }
    QMetaObject::invokeMethod(worker(lane), [one = worker(lane), request] { one->run(request); }, Qt::QueuedConnection);
    return id;
}

void Session::cancel(quint64 id)
{
    const auto found = m_waiting.find(id);
    if (found == m_waiting.end())
        return;
    found->cancelled->store(true);
    Worker* one = worker(found->lane);
    if (one->runs(id))
        one->wire().cancel();
    m_waiting.erase(found);
}

void Session::onAnswer(const Answer& answer)
{
    const auto found = m_waiting.find(answer.id);
    if (found == m_waiting.end())
        return;
    const Waiting one = *found;
    m_waiting.erase(found);
    if (!answer.failed() && one.lane == Lane::Read)
        m_readAtUs = std::max(m_readAtUs, answer.askedAtUs);
    if (answer.failed() && answer.error->code == ErrorCode::DatabaseUnavailable)
        QMetaObject::invokeMethod(m_listener, &Listener::checkNow, Qt::QueuedConnection);
    if (answer.failed()
        && (answer.error->code == ErrorCode::PermissionDenied || answer.error->code == ErrorCode::SchemaMismatch))
        QMetaObject::invokeMethod(m_listener, &Listener::checkFacts, Qt::QueuedConnection);
    if (one.context)
        one.then(answer);
}

std::int64_t Session::dataAsOfUs() const
{
    constexpr std::int64_t kSlowUs = 1'500'000;
    const std::int64_t now = wallClockUs();
    const bool waits = std::any_of(m_waiting.begin(), m_waiting.end(), [now](const Waiting& one) {
        return one.lane == Lane::Read && now - one.askedAtUs > kSlowUs;
    });
    return m_readAtUs > 0 && (m_paused || waits) ? std::min(m_readAtUs, m_aliveAtUs) : m_aliveAtUs;
}

void Session::setPaused(bool paused)
{
    if (m_paused == paused)
        return;
    m_paused = paused;
    Q_EMIT stateChanged();
    if (!paused)
        ring();
}

void Session::ring()
{
    m_rangAt = bootTime();
    if (!m_paused && m_state.reads())
        Q_EMIT changed();
}

// A server that is silent rather than gone raises no error anywhere: its wires are cut here.
void Session::watch()
{
    const auto now = bootTime();
    if (m_state.reads() && now - m_heardAt > kSilence) {
        onLost(u"no answer for 8 s"_s);
        m_listener->wire().breakOff();
    }
    for (Worker* one : m_workers) {
        const auto since = one->busySince();
        if (since.count() != 0 && now - since > kStuck)
            one->wire().breakOff();
    }
}

std::int64_t Session::serverNowUs() const
{
    return wallClockUs() + m_clockAheadUs;
}

} // namespace tekil::ui
