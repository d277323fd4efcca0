// Codes become sentences here and nowhere else, in the reader's language.
#pragma once

#include "ui/payments/payment_filter.h"
#include "ui/payments/payment_record.h"
#include "ui/widgets/facts_list.h"
#include "ui/widgets/timeline.h"

namespace tekil::ui::payments {

// What could not be read: what happened, what still holds and what to do, the code to copy.
struct Problem {
    QString what, whatToDo, code;
};
Problem problemOf(const Error& error);

QString sentenceOf(const FilterProblem& problem);

QString whyUnknown(const PaymentRecord& record); // "No answer within 5 s after the request was sent"
QString whyFailed(const PaymentRecord& record);
QString attemptOutcome(const Attempt& attempt);

QVector<Fact> factsOf(const PaymentRecord& record);
QVector<Fact> requestFactsOf(const PaymentRecord& record);

enum class TimelineKind : std::uint8_t { Summary, History }; // History: every event, none folded, with its facts
QVector<TimelineGroup> timelineGroups();
QVector<TimelineEvent> timelineOf(const PaymentRecord& record, TimelineKind kind);

// A clean text for a ticket: no customer, no description, no bodies.
QString ticketSummaryOf(const PaymentRecord& record);

} // namespace tekil::ui::payments
