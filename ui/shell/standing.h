// How things stand, for the bands above every page: what happened, what still holds, what to do, when it is tried
// again. One place for all pages, so that no page has words of its own for a lost connection.
#pragma once

#include "ui/db/session.h"
#include "ui/shell/embedded_engine.h"
#include "ui/shell/pulse.h"
#include "ui/widgets/message_band.h"

#include <optional>

namespace tekil::ui {

struct Notice {
    enum class Act : std::uint8_t { None, TryNow, SignIn, StartEngine };
    MessageBand::Kind kind = MessageBand::Kind::Warning;
    QString sentence;
    QString whatToDo;
    QString detail; // the server's or the engine's own words; empty: none
    Act act = Act::None;
};

// Nothing while the connection is live.
std::optional<Notice> connectionNotice(const ConnectionState& state, std::int64_t dataAsOfUs, std::int64_t nowUs);

// Of the console's own engine, where there is one, and of all engines as the database knows them. `facts` is absent
// while nothing current is known; `serverNowUs` is what ages count from.
std::optional<Notice> engineNotice(const EngineStatus* own, const std::optional<PulseFacts>& facts,
                                   std::int64_t serverNowUs);

} // namespace tekil::ui
