// Reads terms from left to right; the first that cannot be understood is the problem told.
#include "ui/payments/payment_filter.h"

#include "core/base/payment_state.h"
#include "core/base/uuid.h"
#include "ui/widgets/state_shape.h"

#include <QDate>
#include <QDateTime>
#include <QRegularExpression>

#include <algorithm>

namespace tekil::ui::payments {

using namespace Qt::Literals::StringLiterals;

namespace {

constexpr std::int64_t kMsToUs = 1000;

const QStringList& fields()
{
    static const QStringList all{u"state"_s,   u"invoice"_s, u"key"_s,      u"merchant"_s, u"account"_s, u"amount"_s,
                                 u"created"_s, u"id"_s,      u"currency"_s, u"type"_s,     u"provider"_s};
    return all;
}

int editDistance(const QString& a, const QString& b)
{
    QVector<int> row(b.size() + 1);
    for (int j = 0; j <= b.size(); ++j)
        row[j] = j;
    for (int i = 1; i <= a.size(); ++i) {
        int diagonal = std::exchange(row[0], i);
        for (int j = 1; j <= b.size(); ++j) {
            const int substitute = diagonal + (a.at(i - 1) == b.at(j - 1) ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
        }
    }
    return row.back();
}

QString nearest(const QString& word, const QStringList& known)
{
    QString best;
    int distance = 3; // two slips are a slip, three are another word
    for (const QString& candidate : known) {
        const int now = editDistance(word, candidate);
        if (now < distance) {
            distance = now;
            best = candidate;
        }
    }
    return best;
}

QString englishWord(PaymentState state)
{
    const std::string_view name = nameOf(state);
    return QString::fromLatin1(name.data(), static_cast<qsizetype>(name.size()));
}

std::optional<PaymentState> stateOf(const QString& word)
{
    for (const PaymentState state : kPaymentStates)
        if (word.compare(englishWord(state), Qt::CaseInsensitive) == 0
            || word.compare(wordOf(shapeOf(state)), Qt::CaseInsensitive) == 0)
            return state;
    return std::nullopt;
}

bool isUuid(const QString& word)
{
    return Uuid::fromText(word.toStdString()).ok();
}

bool isNumber(const QString& word)
{
    static const QRegularExpression whole(u"\\A[0-9]{1,18}\\z"_s);
    return whole.match(word).hasMatch();
}

std::int64_t startOf(const QDate& day, const QTimeZone& zone)
{
    return day.startOfDay(zone).toMSecsSinceEpoch() * kMsToUs;
}

} // namespace

QString likeEscaped(QString text)
{
    return text.replace(u'\\', u"\\\\"_s).replace(u'%', u"\\%"_s).replace(u'_', u"\\_"_s);
}

class FilterReader {
public:
    FilterReader(const QString& text, const FilterClock& clock) : m_text(text), m_clock(clock) {}

    std::variant<PaymentFilter, FilterProblem> read()
    {
        while (nextTerm() && !m_problem)
            readTerm();
        if (m_problem)
            return *m_problem;
        return m_filter;
    }

private:
    // Cuts the next term at white space outside quotes.
    bool nextTerm()
    {
        while (m_at < m_text.size() && m_text.at(m_at).isSpace())
            ++m_at;
        if (m_at >= m_text.size())
            return false;
        m_termAt = m_at;
        m_term.clear();
        bool quoted = false;
        for (; m_at < m_text.size() && (quoted || !m_text.at(m_at).isSpace()); ++m_at) {
            if (m_text.at(m_at) == u'"')
                quoted = !quoted;
            else
                m_term += m_text.at(m_at);
        }
        if (quoted)
            fail(FilterProblem::Kind::QuoteOpen, m_term, {}, 0);
        return true;
    }

    void readTerm()
    {
        static const QRegularExpression shape(u"\\A([a-z]+)(:|>=|<=|>|<)(.*)\\z"_s,
                                              QRegularExpression::CaseInsensitiveOption);
        const QRegularExpressionMatch match = shape.match(m_term);
        if (!match.hasMatch())
            return bareWord();
        const QString field = match.captured(1).toLower();
        const QString sign = match.captured(2), value = match.captured(3);
        const auto valueAt = static_cast<int>(match.capturedStart(3));
        if (!fields().contains(field))
            return fail(FilterProblem::Kind::NotAField, match.captured(1), nearest(field, fields()), 0);
        if (value.isEmpty())
            return fail(FilterProblem::Kind::ValueMissing, field, {}, 0);
        if (sign != u":"_s && field != u"amount"_s)
            return fail(FilterProblem::Kind::NotAField, m_term, field + u':' + value, 0);
        readField(field, sign, value, valueAt);
    }

    void readField(const QString& field, const QString& sign, const QString& value, int valueAt)
    {
        if (field == u"state"_s)
            return readState(value, valueAt);
        if (field == u"amount"_s)
            return readAmount(sign, value, valueAt);
        if (field == u"created"_s)
            return readCreated(value, valueAt);
        if (field == u"account"_s)
            return readAccount(value, valueAt);
        if (field == u"id"_s)
            return isUuid(value) ? add(u"operation"_s, {{u":operation_id"_s, value}})
                                 : fail(FilterProblem::Kind::NotAnId, value, {}, valueAt);
        if ((field == u"invoice"_s || field == u"key"_s) && value.endsWith(u'*'))
            return add(field + u"_prefix"_s, {{u':' + field + u"_prefix"_s, likeEscaped(value.chopped(1)) + u'%'}});
        add(field, {{u':' + field, field == u"currency"_s ? value.toUpper() : value}});
    }

    void bareWord()
    {
        if (isUuid(m_term))
            return add(u"operation"_s, {{u":operation_id"_s, m_term}});
        add(u"word"_s, {{u":word_prefix"_s, likeEscaped(m_term) + u'%'}, {u":word"_s, m_term}});
    }

    void readState(const QString& value, int at)
    {
        const std::optional<PaymentState> state = stateOf(value);
        if (!state) {
            QStringList known;
            for (const PaymentState one : kPaymentStates)
                known << englishWord(one).toLower() << wordOf(shapeOf(one)).toLower();
            return fail(FilterProblem::Kind::NotAState, value, nearest(value.toLower(), known), at);
        }
        // What has not ended is found by its own small index; what has ended is met by the list's own order.
        add(isEnd(*state) ? u"state"_s : u"open"_s, {{u":state"_s, englishWord(*state)}});
    }

    void readAmount(const QString& sign, const QString& value, int at)
    {
        static const QRegularExpression decimal(u"\\A[0-9]{1,15}(\\.[0-9]{1,4})?\\z"_s);
        if (!decimal.match(value).hasMatch())
            return fail(FilterProblem::Kind::NotAnAmount, value, QString(value).replace(u',', u'.'), at);
        const QString fragment = sign == u">"_s    ? u"amount_over"_s
                                 : sign == u">="_s ? u"amount_from"_s
                                 : sign == u"<"_s  ? u"amount_under"_s
                                 : sign == u"<="_s ? u"amount_to"_s
                                                   : u"amount"_s;
        add(fragment, {{u':' + fragment, value}});
    }

    void readAccount(const QString& value, int at)
    {
        const QStringList ends = value.split(u".."_s);
        if (ends.size() > 2 || !std::all_of(ends.begin(), ends.end(), isNumber))
            return fail(FilterProblem::Kind::NotAnAccount, value, {}, at);
        if (ends.size() == 1)
            return add(u"account"_s, {{u":account"_s, value.toLongLong()}});
        add(u"account_range"_s,
            {{u":account_from"_s, ends.at(0).toLongLong()}, {u":account_to"_s, ends.at(1).toLongLong()}});
    }

    QDate dayOf(const QString& word) const
    {
        const QDate today = QDateTime::fromMSecsSinceEpoch(m_clock.nowUs / kMsToUs, m_clock.zone).date();
        if (word == u"today"_s || word == u"bugün"_s)
            return today;
        if (word == u"yesterday"_s || word == u"dün"_s)
            return today.addDays(-1);
        return QDate::fromString(word, Qt::ISODate);
    }

    void readCreated(const QString& value, int at)
    {
        const QStringList ends = value.toLower().split(u".."_s);
        const QDate first = dayOf(ends.front()), last = dayOf(ends.back());
        if (ends.size() > 2 || !first.isValid() || !last.isValid() || last < first)
            return fail(FilterProblem::Kind::NotADate, value, {}, at);
        add(u"created_from"_s, {{u":created_from"_s, qint64(startOf(first, m_clock.zone))}});
        add(u"created_before"_s, {{u":created_before"_s, qint64(startOf(last.addDays(1), m_clock.zone))}});
    }

    void add(const QString& fragment, QVector<std::pair<QString, QVariant>> values)
    {
        for (const PaymentFilter::Term& term : m_filter.m_terms)
            if (term.fragment == fragment || (isState(term.fragment) && isState(fragment)))
                return fail(FilterProblem::Kind::Twice, m_term, {}, 0);
        m_filter.m_terms << PaymentFilter::Term{fragment, std::move(values)};
    }

    static bool isState(const QString& fragment) { return fragment == u"state"_s || fragment == u"open"_s; }

    void fail(FilterProblem::Kind kind, const QString& word, const QString& suggestion, int offset)
    {
        if (!m_problem)
            m_problem = FilterProblem{kind, word, suggestion, static_cast<int>(m_termAt) + offset + 1};
    }

    QString m_text;
    FilterClock m_clock;
    qsizetype m_at = 0;
    qsizetype m_termAt = 0;
    QString m_term;
    PaymentFilter m_filter;
    std::optional<FilterProblem> m_problem;
};

std::variant<PaymentFilter, FilterProblem> PaymentFilter::parse(const QString& text, const FilterClock& clock)
{
    return FilterReader(text, clock).read();
}

void PaymentFilter::applyTo(ListQuery& query) const
{
    for (const Term& term : m_terms)
        query.where(term.fragment, term.values);
}

} // namespace tekil::ui::payments
