// The filter field's language: field:value terms, all of which must hold. A word without a field is an id, an invoice
// or a key.
#pragma once

#include "ui/db/list_query.h"

#include <QTimeZone>

#include <variant>

namespace tekil::ui::payments {

struct FilterProblem {
    enum class Kind : std::uint8_t {
        NotAField,
        NotAState,
        NotAnAmount,
        NotADate,
        NotAnAccount,
        NotAnId,
        Twice,
        ValueMissing,
        QuoteOpen,
    };
    Kind kind;
    QString word;       // what was written
    QString suggestion; // what was perhaps meant; may be empty
    int at = 0;         // its first character, counted from 1
};

// Days begin where the reader is.
struct FilterClock {
    std::int64_t nowUs = 0;
    QTimeZone zone = QTimeZone::utc();
};

class PaymentFilter {
public:
    static std::variant<PaymentFilter, FilterProblem> parse(const QString& text, const FilterClock& clock);

    void applyTo(ListQuery& query) const;
    bool isEmpty() const { return m_terms.isEmpty(); }

private:
    struct Term {
        QString fragment;
        QVector<std::pair<QString, QVariant>> values;
    };
    friend class FilterReader;
    QVector<Term> m_terms;
};

// A text in which LIKE's own signs stand for themselves.
QString likeEscaped(QString text);

} // namespace tekil::ui::payments
