// It goes over the inspector's connection, so that a slow list holds no warning back.
#include "ui/shell/pulse.h"

#include "sql_console.h"
#include "ui/db/list_query.h"

namespace tekil::ui {

namespace {

constexpr int kEveryMs = 2'000;

} // namespace

Pulse::Pulse(Session* session, QObject* parent) : QObject(parent), m_session(session)
{
    connect(&m_timer, &QTimer::timeout, this, &Pulse::ask);
    connect(session, &Session::stateChanged, this, &Pulse::ask);
    m_timer.start(kEveryMs);
    ask();
}

void Pulse::ask()
{
    if (m_isAsking || !m_session->state().reads())
        return;
    m_isAsking = true;
    m_session->ask(Lane::Inspector,
                   {statement(sql::console::overview::now), statement(sql::console::overview::unknown)}, this,
                   [this](const Answer& answer) { take(answer); });
}

void Pulse::take(const Answer& answer)
{
    m_isAsking = false;
    if (answer.failed())
        return; // the connection's state says what there is to say; the next beat asks again
    const Row& now = answer.rows.front().front();
    m_facts = PulseFacts{.running = now.int64(5),
                         .draining = now.int64(6),
                         .lastBeatUs = now.int64Or(7, 0),
                         .recovering = now.int64(4),
                         .unknown = answer.rows.at(1).front().int64(0)};
    Q_EMIT changed();
}

} // namespace tekil::ui
