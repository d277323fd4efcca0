// Every code that rows can hold has a sentence; one that is not known is shown as it is written.
#include "ui/payments/payment_words.h"

#include "ui/widgets/format.h"

#include <QCoreApplication>
#include <QJsonValue>

#include <algorithm>

namespace tekil::ui::payments {

using namespace Qt::Literals::StringLiterals;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(PaymentWords)
};

QString sentence(const QString& code)
{
    if (code == u"no_answer"_s || code == u"timeout"_s)
        return Words::tr("No answer came after the request was sent");
    if (code == u"unreadable_answer"_s)
        return Words::tr("The provider's answer could not be read");
    if (code == u"amount_mismatch"_s)
        return Words::tr("The provider says another amount than was asked for");
    if (code == u"other_operation"_s)
        return Words::tr("The provider answered for another operation");
    if (code == u"pending"_s)
        return Words::tr("The provider is still working on it");
    if (code == u"not_sent"_s)
        return Words::tr("It could not be sent before its deadline");
    if (code == u"send_deadline"_s)
        return Words::tr("Its deadline for sending has passed");
    if (code == u"insufficient_funds"_s)
        return Words::tr("The account has too little money");
    if (code == u"account_closed"_s)
        return Words::tr("The account is closed");
    if (code == u"declined"_s)
        return Words::tr("The provider declined it");
    if (code == u"duplicate-operation"_s)
        return Words::tr("there is a payment for this invoice already");
    return {};
}

QString httpSentence(const QString& code)
{
    if (!code.startsWith(u"http_"_s))
        return {};
    return Words::tr("The provider answered with HTTP status %1").arg(code.mid(5));
}

QString known(const QString& code)
{
    if (const QString words = sentence(code); !words.isEmpty())
        return words;
    return httpSentence(code);
}

QString moneyOf(const PaymentRecord& record)
{
    return formatter().money(record.amountMinor, record.exponent, record.currency);
}

QString orCode(const QString& code)
{
    const QString words = known(code);
    return words.isEmpty() ? Words::tr("Declined with the code %1").arg(code) : words;
}

const Attempt* attemptIn(const PaymentRecord& record, const QJsonObject& facts)
{
    const int number = facts.value(u"attempt"_s).toInt();
    for (const Attempt& attempt : record.attempts)
        if (attempt.number == number)
            return &attempt;
    return nullptr;
}

QString answerSentence(const PaymentRecord& record, const KeyEvent& event)
{
    const QString proof = event.facts.value(u"proof"_s).toString();
    const QString code = event.facts.value(u"code"_s).toString();
    if (proof == u"captured"_s)
        return Words::tr("%1 captured it", "the provider's name").arg(record.provider);
    if (proof == u"declined"_s)
        return Words::tr("%1 declined it", "the provider's name").arg(record.provider);
    const QString why = known(code);
    return why.isEmpty() ? Words::tr("%1 answered: no proof", "the provider's name").arg(record.provider) : why;
}

QString times(const KeyEvent& event)
{
    const int many = event.facts.value(u"times"_s).toInt(1);
    return many > 1 ? Words::tr("%1×", "how often").arg(formatter().count(many)) : QString();
}

QString engineOr(const KeyEvent& event, const QString& otherwise)
{
    return event.engine.isEmpty() ? otherwise : event.engine;
}

TimelineEvent wordsFor(const PaymentRecord& record, const KeyEvent& event)
{
    TimelineEvent out;
    out.atUs = event.atUs;
    const QString& kind = event.kind;
    if (kind == u"claimed"_s) {
        out.text = Words::tr("Claimed by %1", "an engine's name").arg(engineOr(event, Words::tr("an engine")));
        out.note = Words::tr("key %1").arg(record.key);
    } else if (kind == u"accepted"_s) {
        out.text = Words::tr("Accepted, %1 reserved").arg(moneyOf(record));
    } else if (kind == u"declined"_s) {
        out.text = Words::tr("Declined: %1").arg(orCode(event.facts.value(u"code"_s).toString()));
    } else if (kind == u"attempt"_s) {
        const int number = event.facts.value(u"attempt"_s).toInt();
        out.text = Words::tr("Sent to %1, attempt %2").arg(record.provider).arg(number);
        out.icon = Icon::ArrowRight;
        out.group = u"attempts"_s;
    } else if (kind == u"not_sent"_s) {
        out.text = Words::tr("Not sent: no connection to the provider");
        out.group = u"attempts"_s;
    } else if (kind == u"answer"_s) {
        out.text = answerSentence(record, event);
        out.group = u"attempts"_s;
    } else if (kind == u"no_answer"_s) {
        out.text = Words::tr("No answer");
        out.group = u"attempts"_s;
    } else if (kind == u"takeover"_s) {
        out.text
            = Words::tr("%1 went on with it", "an engine's name").arg(engineOr(event, Words::tr("Another engine")));
    } else if (kind == u"lease_lost"_s) {
        out.text = Words::tr("%1 found that another engine had gone on").arg(engineOr(event, Words::tr("An engine")));
    } else if (kind == u"inquiry"_s) {
        out.text = Words::tr("Asked %1", "the provider's name").arg(record.provider);
        out.icon = Icon::Question;
        out.group = u"inquiries"_s;
        out.idle = true;
    } else if (kind == u"duplicate"_s) {
        out.text = Words::tr("Same request again, answered 409");
        out.note = times(event);
        out.group = u"repeats"_s;
        out.idle = true;
    } else if (kind == u"mismatch"_s) {
        out.text = Words::tr("Another request with this key, refused with 422");
        out.note = times(event);
        out.group = u"repeats"_s;
    } else if (kind == u"replay"_s) {
        out.text = Words::tr("Same request again, stored answer given");
        out.note = times(event);
        out.group = u"repeats"_s;
        out.idle = true;
    } else if (kind == u"refused"_s) {
        out.text = Words::tr("Refused: %1").arg(known(event.facts.value(u"code"_s).toString()));
        out.group = u"repeats"_s;
    } else if (kind == u"released"_s) {
        out.text = Words::tr("%1 gave it back unsent", "an engine's name").arg(engineOr(event, Words::tr("An engine")));
    } else if (kind == u"restored"_s) {
        out.text = Words::tr("Written again after the database had lost it");
    } else {
        out.text = kind;
    }
    return out;
}

QString rawFacts(const KeyEvent& event)
{
    QStringList parts;
    for (auto fact = event.facts.begin(); fact != event.facts.end(); ++fact)
        parts << fact.key() + u' ' + fact.value().toVariant().toString();
    return parts.join(u" · "_s);
}

// The event that brought a change of state about is told as that state.
void markStates(const PaymentRecord& record, QVector<TimelineEvent>& events)
{
    for (const StateChange& change : record.changes) {
        const auto cause = std::find_if(events.rbegin(), events.rend(), [&](const TimelineEvent& event) {
            return event.atUs == change.atUs && event.icon == Icon::None;
        });
        const QString word = wordOf(shapeOf(change.to));
        if (cause == events.rend()) {
            TimelineEvent own;
            own.atUs = change.atUs;
            own.text = word;
            own.state = shapeOf(change.to);
            events << own;
            continue;
        }
        cause->text = Words::tr("%1: %2", "what happened: the state it led to").arg(cause->text, word);
        cause->state = shapeOf(change.to);
        cause->idle = false;
    }
    std::stable_sort(events.begin(), events.end(),
                     [](const TimelineEvent& a, const TimelineEvent& b) { return a.atUs < b.atUs; });
}

void addDistances(QVector<TimelineEvent>& events)
{
    for (int i = 1; i < events.size(); ++i)
        if (events.at(i).note.isEmpty())
            events[i].note = u'+' + formatter().duration(events.at(i).atUs - events.at(i - 1).atUs);
}

} // namespace

Problem problemOf(const Error& error)
{
    const QString code = QString::fromStdString(error.sqlState);
    const QString detail = QString::fromStdString(error.detail);
    if (code == u"57014"_s)
        return {Words::tr("Stopped: the search took longer than 5 s."),
                Words::tr("Nothing was changed. Narrow the filter, or try again."), code};
    if (error.code == ErrorCode::PermissionDenied)
        return {Words::tr("Your role may not read this."), Words::tr("Ask an admin to look at your role."), code};
    if (error.code == ErrorCode::DatabaseUnavailable)
        return {Words::tr("The connection was lost while reading."),
                Words::tr("Nothing was changed. It is read again when the connection is back."), code};
    return {Words::tr("The database could not answer."), Words::tr("Nothing was changed. It said: %1").arg(detail),
            code};
}

QString sentenceOf(const FilterProblem& problem)
{
    const QString at = Words::tr(" (character %1)").arg(problem.at);
    const QString meant = problem.suggestion.isEmpty() ? QString()
                                                       : Words::tr(" Did you mean %1?").arg(problem.suggestion);
    switch (problem.kind) {
    case FilterProblem::Kind::NotAField: return Words::tr("“%1” is not a field.").arg(problem.word) + meant + at;
    case FilterProblem::Kind::NotAState: return Words::tr("“%1” is not a state.").arg(problem.word) + meant + at;
    case FilterProblem::Kind::NotAnAmount:
        return Words::tr("“%1” is not an amount; write it like 1000.50.").arg(problem.word) + at;
    case FilterProblem::Kind::NotADate:
        return Words::tr("“%1” is not a day; write today, yesterday or 2026-03-05.").arg(problem.word) + at;
    case FilterProblem::Kind::NotAnAccount:
        return Words::tr("“%1” is not an account; write 101 or 101..199.").arg(problem.word) + at;
    case FilterProblem::Kind::NotAnId: return Words::tr("“%1” is not a whole operation id.").arg(problem.word) + at;
    case FilterProblem::Kind::Twice: return Words::tr("“%1” says again what another word says.").arg(problem.word) + at;
    case FilterProblem::Kind::ValueMissing:
        return Words::tr("“%1:” wants a value after the colon.").arg(problem.word) + at;
    case FilterProblem::Kind::QuoteOpen: return Words::tr("A quotation mark is not closed.") + at;
    }
    return {};
}

QString whyUnknown(const PaymentRecord& record)
{
    const QString& code = record.unknownReason;
    if ((code == u"no_answer"_s || code == u"timeout"_s) && !record.attempts.isEmpty()) {
        const Attempt& last = record.attempts.back();
        if (last.endedUs > 0)
            return Words::tr("No answer within %1 after the request was sent")
                .arg(formatter().duration(last.endedUs - last.startedUs));
    }
    const QString words = known(code);
    return words.isEmpty() ? Words::tr("The provider's answer proves nothing (%1)").arg(code) : words;
}

QString whyFailed(const PaymentRecord& record)
{
    return orCode(record.declineCode.isEmpty() ? record.failureCode : record.declineCode);
}

QString attemptOutcome(const Attempt& attempt)
{
    if (attempt.state == u"open"_s)
        return Words::tr("under way");
    if (attempt.state == u"not_sent"_s)
        return Words::tr("not sent");
    if (attempt.state == u"no_answer"_s)
        return Words::tr("no answer");
    return attempt.httpStatus ? Words::tr("answered with HTTP %1").arg(*attempt.httpStatus) : Words::tr("answered");
}

namespace {

QString caseSentence(const Case& found)
{
    const QString& kind = found.kind;
    if (kind == u"late_send"_s)
        return Words::tr("sent after the time to send it by");
    if (kind == u"amount_mismatch"_s)
        return Words::tr("the provider charged another amount");
    if (kind == u"late_capture"_s)
        return Words::tr("charged by the provider after it had failed");
    if (kind == u"late_decline"_s)
        return Words::tr("declined by the provider after it had completed");
    if (kind == u"cannot_post"_s)
        return Words::tr("the provider's answer could not be booked");
    if (kind == u"duplicate_charge"_s)
        return Words::tr("the provider tells a second charge");
    return kind;
}

} // namespace

QVector<Fact> factsOf(const PaymentRecord& record)
{
    QVector<Fact> facts;
    for (const Case& found : record.cases)
        if (found.isOpen)
            facts << Fact{Words::tr("Case"), caseSentence(found), true};
    if (record.state == PaymentState::Unknown) {
        facts << Fact{Words::tr("Why unknown"), whyUnknown(record), true};
        facts << Fact{Words::tr("Still holds"), Words::tr("the reservation, until there is proof")};
        facts << Fact{Words::tr("Ends with"), Words::tr("the provider's answer, settlement, or two people")};
    }
    if (record.state == PaymentState::Failed) {
        facts << Fact{Words::tr("Why failed"), whyFailed(record), true};
        if (!record.declineCode.isEmpty())
            facts << Fact{Words::tr("Decline code"), record.declineCode, false, true};
    }
    facts << Fact{Words::tr("Provider"), record.provider};
    if (!record.providerReference.isEmpty())
        facts << Fact{Words::tr("Reference"), record.providerReference, false, true};
    facts << Fact{Words::tr("Key"), record.key, false, true};
    facts << Fact{Words::tr("Accounts"),
                  Words::tr("from %1 to %2").arg(record.accountId).arg(record.collectionAccountId)};
    if (record.completedUs > 0)
        facts << Fact{Words::tr("Ended"), formatter().full(record.completedUs)};
    return facts;
}

QVector<Fact> requestFactsOf(const PaymentRecord& record)
{
    const auto orDash = [](const QString& text) { return text.isEmpty() ? u"–"_s : text; };
    QVector<Fact> facts{
        {Words::tr("Key"), record.key, false, true},
        {Words::tr("Merchant"), record.merchant},
        {Words::tr("Invoice"), record.invoice, true},
        {Words::tr("Amount"), moneyOf(record), true},
        {Words::tr("Account"), QString::number(record.accountId)},
        {Words::tr("Type"), record.type},
        {Words::tr("Customer"), orDash(record.customer)},
        {Words::tr("Description"), orDash(record.description)},
        {Words::tr("First seen"), formatter().full(record.createdUs)},
    };
    if (!record.stored) {
        facts << Fact{Words::tr("Key's record"), Words::tr("past its retention")};
        return facts;
    }
    const StoredKey& stored = *record.stored;
    facts << Fact{Words::tr("Key ends"), formatter().full(stored.expiresUs)};
    facts << Fact{Words::tr("Fingerprint"), u"v%1 "_s.arg(stored.hashVersion) + stored.requestHash, false, true};
    facts << Fact{Words::tr("Repeats get"), stored.responseStatus
                                                ? Words::tr("the stored answer, HTTP %1").arg(*stored.responseStatus)
                                                : Words::tr("409, until it has ended")};
    return facts;
}

QVector<TimelineGroup> timelineGroups()
{
    return {{u"attempts"_s, Words::tr("Attempts")},
            {u"inquiries"_s, Words::tr("Inquiries")},
            {u"repeats"_s, Words::tr("Repeats")}};
}

QVector<TimelineEvent> timelineOf(const PaymentRecord& record, TimelineKind kind)
{
    QVector<TimelineEvent> events;
    for (const KeyEvent& event : record.events) {
        TimelineEvent words = wordsFor(record, event);
        if (!event.operationId.isEmpty() && event.operationId != record.operationId)
            words.text = Words::tr("Earlier claim of this key: %1").arg(words.text);
        if (kind == TimelineKind::History) {
            words.note = rawFacts(event);
            words.idle = false;
        }
        const Attempt* attempt = attemptIn(record, event.facts);
        if (kind == TimelineKind::Summary && attempt && event.kind != u"attempt"_s && attempt->endedUs > 0)
            words.note = u'+' + formatter().duration(attempt->endedUs - attempt->startedUs);
        events << words;
    }
    markStates(record, events);
    if (kind == TimelineKind::Summary)
        addDistances(events);
    return events;
}

QString ticketSummaryOf(const PaymentRecord& record)
{
    QStringList lines{
        Words::tr("Payment %1").arg(record.operationId),
        Words::tr("State: %1, since %2").arg(wordOf(shapeOf(record.state)), formatter().full(record.stateSinceUs())),
        Words::tr("Amount: %1").arg(moneyOf(record)),
        Words::tr("Invoice: %1").arg(record.invoice),
        Words::tr("Merchant: %1, key %2").arg(record.merchant, record.key),
        Words::tr("Created: %1").arg(formatter().full(record.createdUs)),
        Words::tr("Provider: %1, reference %2")
            .arg(record.provider, record.providerReference.isEmpty() ? u"–"_s : record.providerReference),
        Words::tr("Attempts: %1").arg(record.attempts.size()),
    };
    if (record.state == PaymentState::Unknown)
        lines << Words::tr("Why unknown: %1").arg(whyUnknown(record));
    if (record.state == PaymentState::Failed)
        lines << Words::tr("Why failed: %1").arg(whyFailed(record));
    if (record.reservation)
        lines << Words::tr("Reservation: %1").arg(wordOf(shapeOf(record.reservation->state)));
    return lines.join(u'\n');
}

} // namespace tekil::ui::payments
