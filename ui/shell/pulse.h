// What every page's frame must know of the engines, whatever page is open: asked every two seconds.
#pragma once

#include "ui/db/session.h"

#include <QTimer>

#include <optional>

namespace tekil::ui {

struct PulseFacts {
    std::int64_t running = 0, draining = 0; // engines with a sign of life
    std::int64_t lastBeatUs = 0;            // of any engine, by the server's clock; 0: none was ever started
    std::int64_t recovering = 0;            // payments that an engine left behind and that have not ended yet
    std::int64_t unknown = 0;               // payments
};

class Pulse : public QObject {
    Q_OBJECT
public:
    explicit Pulse(Session* session, QObject* parent = nullptr);
    const std::optional<PulseFacts>& facts() const { return m_facts; } // of the last answer

Q_SIGNALS:
    void changed();

private:
    void ask();
    void take(const Answer& answer);

    Session* m_session;
    QTimer m_timer;
    bool m_isAsking = false;
    std::optional<PulseFacts> m_facts;
};

} // namespace tekil::ui
