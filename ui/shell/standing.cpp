// Words only: what is shown and hidden is decided by the caller.
#include "ui/shell/standing.h"

#include "ui/widgets/format.h"

#include <QCoreApplication>

#include <algorithm>

namespace tekil::ui {

namespace {

struct StandingWords {
    Q_DECLARE_TR_FUNCTIONS(Standing)
};

Notice lostNotice(const ConnectionState& state, const QString& asOf, std::int64_t dataAsOfUs, std::int64_t nowUs)
{
    const Formatter& words = formatter();
    const QString next = state.nextTryAtUs == 0
                             ? StandingWords::tr("Trying now.")
                             : StandingWords::tr("Trying again: try %1, in %2 s.")
                                   .arg(state.attempt)
                                   .arg(std::max<std::int64_t>(0, (state.nextTryAtUs - nowUs + 999'999) / 1'000'000));
    return {.kind = MessageBand::Kind::Warning,
            .sentence = StandingWords::tr("Connection lost at %1. You see data as of %2, now %3 old.")
                            .arg(words.shortTime(state.lostAtUs), asOf, words.age(nowUs - dataAsOfUs)),
            .whatToDo = StandingWords::tr("Nothing is decided here; reading goes on when it is back. ") + next,
            .detail = state.detail,
            .act = Notice::Act::TryNow};
}

QString refusalSentence(Refusal refusal)
{
    switch (refusal) {
    case Refusal::BadPassword: return StandingWords::tr("The password is not right any more.");
    case Refusal::NotAnOperator: return StandingWords::tr("This login is no operator here any more.");
    case Refusal::Disabled: return StandingWords::tr("This login was disabled.");
    case Refusal::NoContract: return StandingWords::tr("This is no Tekil database any more.");
    case Refusal::None:
    case Refusal::Options:
    case Refusal::Other: break;
    }
    return StandingWords::tr("The server does not let you in any more.");
}

std::optional<Notice> ownNotice(const EngineStatus& own)
{
    switch (own.phase) {
    case EngineStatus::Phase::Failed:
        return Notice{.kind = MessageBand::Kind::Failed,
                      .sentence = StandingWords::tr("The engine of this console does not run."),
                      .whatToDo = own.problem + QChar(u' ')
                                  + StandingWords::tr("Payments and books stay as they are; mend the cause, then start "
                                                      "it again."),
                      .detail = own.problem,
                      .act = Notice::Act::StartEngine};
    case EngineStatus::Phase::Draining:
        return Notice{.kind = MessageBand::Kind::Warning,
                      .sentence = StandingWords::tr("The engine of this console drains."),
                      .whatToDo = StandingWords::tr("It takes no new payments; %n are still on their way.", nullptr,
                                                    static_cast<int>(own.inFlight)),
                      .detail = {},
                      .act = Notice::Act::None};
    case EngineStatus::Phase::Waiting:
    case EngineStatus::Phase::Creating:
    case EngineStatus::Phase::Starting:
    case EngineStatus::Phase::Migrating:
        return Notice{.kind = MessageBand::Kind::Quiet,
                      .sentence = StandingWords::tr("The engine of this console starts."),
                      .whatToDo = StandingWords::tr("Merchants are served as soon as it runs."),
                      .detail = {},
                      .act = Notice::Act::None};
    case EngineStatus::Phase::Running:
    case EngineStatus::Phase::Joined:
    case EngineStatus::Phase::Stopped: break;
    }
    return std::nullopt;
}

} // namespace

std::optional<Notice> connectionNotice(const ConnectionState& state, std::int64_t dataAsOfUs, std::int64_t nowUs)
{
    const QString asOf = formatter().shortTime(dataAsOfUs);
    const QString seen = StandingWords::tr("You see data as of %1; nothing can be done with it.").arg(asOf);
    switch (state.kind) {
    case ConnectionState::Kind::Connecting:
    case ConnectionState::Kind::Live:
    case ConnectionState::Kind::Polling: return std::nullopt;
    case ConnectionState::Kind::Reconnecting: return lostNotice(state, asOf, dataAsOfUs, nowUs);
    case ConnectionState::Kind::WrongSchema:
        return Notice{.kind = MessageBand::Kind::Failed,
                      .sentence = StandingWords::tr("This console and the database do not fit any more: it speaks "
                                                    "version %1, this console %2.")
                                      .arg(state.schemaFound)
                                      .arg(kConsoleVersion),
                      .whatToDo = seen + QChar(u' ') + StandingWords::tr("Update the older one."),
                      .detail = {},
                      .act = Notice::Act::None};
    case ConnectionState::Kind::Refused: break;
    }
    return Notice{.kind = MessageBand::Kind::Failed,
                  .sentence = refusalSentence(state.refusal),
                  .whatToDo = seen + QChar(u' ') + StandingWords::tr("Sign in again, or ask an admin."),
                  .detail = state.detail,
                  .act = Notice::Act::SignIn};
}

std::optional<Notice> engineNotice(const EngineStatus* own, const std::optional<PulseFacts>& facts,
                                   std::int64_t serverNowUs)
{
    if (own)
        if (auto notice = ownNotice(*own))
            return notice;
    if (!facts)
        return std::nullopt;
    const Formatter& words = formatter();
    if (facts->running + facts->draining == 0)
        return Notice{
            .kind = MessageBand::Kind::Warning,
            .sentence = facts->lastBeatUs == 0
                            ? StandingWords::tr("No engine runs: nothing is being processed.")
                            : StandingWords::tr("No engine runs: nothing is being processed since %1, %2 ago.")
                                  .arg(words.shortTime(facts->lastBeatUs), words.age(serverNowUs - facts->lastBeatUs)),
            .whatToDo = StandingWords::tr("Reservations stay as they are. Start an engine: it goes on where "
                                          "the last one ended."),
            .detail = {},
            .act = Notice::Act::None};
    if (facts->running == 0)
        return Notice{.kind = MessageBand::Kind::Warning,
                      .sentence = StandingWords::tr("Every engine drains: no new payment is taken."),
                      .whatToDo = StandingWords::tr("What is on its way is ended or handed over."),
                      .detail = {},
                      .act = Notice::Act::None};
    if (facts->recovering > 0)
        return Notice{.kind = MessageBand::Kind::Quiet,
                      .sentence = facts->recovering > 10'000
                                      ? StandingWords::tr("Recovering more than %1 payments after an unclean end.")
                                            .arg(words.count(10'000))
                                      : StandingWords::tr("Recovering %n payments after an unclean end.", nullptr,
                                                          static_cast<int>(facts->recovering)),
                      .whatToDo = StandingWords::tr("Each is asked for or sent on once its lease has ended; none is "
                                                    "charged twice."),
                      .detail = {},
                      .act = Notice::Act::None};
    return std::nullopt;
}

} // namespace tekil::ui
