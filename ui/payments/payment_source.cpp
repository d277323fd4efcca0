// A page lost with its connection is not a failure of the list: it is asked again when the connection is back.
#include "ui/payments/payment_source.h"

#include "sql_console.h"
#include "ui/payments/payment_filter.h"
#include "ui/payments/payment_words.h"
#include "ui/widgets/format.h"

#include <QCoreApplication>
#include <QTimer>

#include <algorithm>
#include <chrono>

namespace tekil::ui::payments {

using namespace Qt::Literals::StringLiterals;

namespace {

constexpr std::chrono::milliseconds kAskAgain{1'000};

std::optional<PaymentState> stateOf(const QString& name)
{
    return paymentStateFromName(name.toStdString());
}

QString cursorOf(const Row& row)
{
    return QString::number(row.int64(5)) + u' ' + row.text(0);
}

RecordRow recordOf(const Row& row)
{
    const auto state = stateOf(row.text(1));
    const auto optional = [&](int column) { return row.isNull(column) ? QVariant() : QVariant(row.text(column)); };
    RecordRow record;
    record.id = row.text(0);
    record.cursor = cursorOf(row);
    record.cells = {state ? QVariant::fromValue(shapeOf(*state)) : QVariant(),
                    row.text(0),
                    QVariant::fromValue(Amount{row.int64(2), static_cast<int>(row.int64(4)), row.text(3)}),
                    row.text(3),
                    qint64(row.int64(5)),
                    row.text(6),
                    row.text(7),
                    row.text(8),
                    optional(9),
                    row.text(10),
                    QString::number(row.int64(11)),
                    row.text(12)};
    return record;
}

struct Direction {
    QString after;
    QString order;
    bool reversed; // the rows come in the opposite order of the sort
};

Direction directionOf(const PageRequest& request)
{
    const bool newest = request.query.order == Qt::DescendingOrder;
    const QString forward = newest ? u"newest"_s : u"oldest"_s, backward = newest ? u"oldest"_s : u"newest"_s;
    switch (request.place) {
    case PageRequest::Place::Head: return {{}, forward, false};
    case PageRequest::Place::From: return {newest ? u"older_or_same"_s : u"newer_or_same"_s, forward, false};
    case PageRequest::Place::After: return {newest ? u"older"_s : u"newer"_s, forward, false};
    case PageRequest::Place::Before: return {newest ? u"newer"_s : u"older"_s, backward, true};
    }
    return {};
}

} // namespace

QVector<Column> paymentColumns()
{
    const auto word = [](const char* text) { return QCoreApplication::translate("PaymentColumns", text); };
    QVector<Column> columns{
        {u"state"_s, word(QT_TRANSLATE_NOOP("PaymentColumns", "State")), ColumnKind::State, 120, true, false, false},
        {u"payment"_s, word(QT_TRANSLATE_NOOP("PaymentColumns", "Payment")), ColumnKind::Id, 86, true, false, false},
        {u"amount"_s, word(QT_TRANSLATE_NOOP("PaymentColumns", "Amount")), ColumnKind::Money, 92, true, false, false},
        {u"currency"_s, {}, ColumnKind::Currency, 44, true, false, false},
        {u"created"_s, word(QT_TRANSLATE_NOOP("PaymentColumns", "Created")), ColumnKind::Time, 102, false, true, true},
        {u"invoice"_s, word(QT_TRANSLATE_NOOP("PaymentColumns", "Invoice")), ColumnKind::Text, 132},
        {u"key"_s, word(QT_TRANSLATE_NOOP("PaymentColumns", "Key")), ColumnKind::Key, 104},
        {u"merchant"_s, word(QT_TRANSLATE_NOOP("PaymentColumns", "Merchant")), ColumnKind::Text, 82},
        {u"customer"_s, word(QT_TRANSLATE_NOOP("PaymentColumns", "Customer")), ColumnKind::Text, 110},
        {u"provider"_s, word(QT_TRANSLATE_NOOP("PaymentColumns", "Provider")), ColumnKind::Text, 90},
        {u"account"_s, word(QT_TRANSLATE_NOOP("PaymentColumns", "Account")), ColumnKind::Text, 80},
        {u"type"_s, word(QT_TRANSLATE_NOOP("PaymentColumns", "Type")), ColumnKind::Text, 80},
    };
    for (int i = 5; i < columns.size(); ++i)
        columns[i].dropOrder = i - 4; // the last ones go first when the page is narrow
    columns[5].dropOrder = 0;
    for (const int second : {6, 7, 9, 10, 11})
        columns[second].secondary = true;
    return columns;
}

PaymentSource::PaymentSource(Session* session, QObject* parent) : PageSource(parent), m_session(session)
{
    connect(session, &Session::stateChanged, this, &PaymentSource::resume);
}

void PaymentSource::request(const PageRequest& request)
{
    Asked asked{request, 0};
    if (m_session->state().reads() || m_session->state().kind == ConnectionState::Kind::Connecting)
        send(asked);
    m_asked.insert(request.id, asked);
}

void PaymentSource::send(Asked& asked)
{
    const PageRequest& request = asked.request;
    const auto parsed = PaymentFilter::parse(request.query.filter, {m_session->serverNowUs(), formatter().zone()});
    if (!std::holds_alternative<PaymentFilter>(parsed)) { // written in the language that was spoken before
        QMetaObject::invokeMethod(
            this,
            [this, id = request.id] {
                if (m_asked.remove(id) > 0)
                    Q_EMIT pageFailed({id, tr("The filter cannot be read."), tr("Write it again, or clear it."), {}});
            },
            Qt::QueuedConnection);
        return;
    }
    const PaymentFilter& filter = std::get<PaymentFilter>(parsed);
    const Direction direction = directionOf(request);
    ListQuery list(sql::console::payments::list);
    filter.applyTo(list);
    list.order(direction.order).value(u":limit"_s, request.limit + 1);
    if (!direction.after.isEmpty()) {
        const QStringList cursor = request.cursor.split(u' ');
        list.after(direction.after, {{u":cursor_us"_s, cursor.at(0).toLongLong()}, {u":cursor_id"_s, cursor.at(1)}});
    }
    QVector<Query> queries{list.build()};
    if (filter.isEmpty() && request.place == PageRequest::Place::Head)
        queries << statement(sql::console::payments::estimate);
    asked.sessionId = m_session->ask(Lane::Read, queries, this,
                                     [this, request](const Answer& got) { answer(request, got); });
}

void PaymentSource::cancel(quint64 requestId)
{
    const Asked asked = m_asked.take(requestId);
    if (asked.sessionId != 0)
        m_session->cancel(asked.sessionId);
}

void PaymentSource::answer(const PageRequest& request, const Answer& got)
{
    if (got.failed() && got.error->code == ErrorCode::DatabaseUnavailable) {
        m_asked[request.id].sessionId = 0;
        // Where only this wire was cut, no change of state will ask again.
        QTimer::singleShot(kAskAgain, this, &PaymentSource::resume);
        return;
    }
    m_asked.remove(request.id);
    if (got.failed()) {
        const Problem problem = problemOf(*got.error);
        Q_EMIT pageFailed({request.id, problem.what, problem.whatToDo, problem.code});
        return;
    }
    Page page;
    page.requestId = request.id;
    const Rows& rows = got.rows.front();
    page.more = rows.size() > request.limit;
    for (int i = 0; i < std::min<qsizetype>(rows.size(), request.limit); ++i)
        page.rows << recordOf(rows.at(i));
    if (directionOf(request).reversed)
        std::reverse(page.rows.begin(), page.rows.end());
    if (request.place == PageRequest::Place::Head) {
        if (!page.more)
            page.total = RecordTotal{page.rows.size(), true};
        else if (got.rows.size() > 1 && !got.rows.at(1).isEmpty() && !got.rows.at(1).front().isNull(0))
            page.total = RecordTotal{std::max<std::int64_t>(got.rows.at(1).front().int64(0), page.rows.size()), false};
    }
    Q_EMIT pageReady(page);
}

void PaymentSource::resume()
{
    if (!m_session->state().reads())
        return; // comes again with the connection
    for (Asked& asked : m_asked)
        if (asked.sessionId == 0)
            send(asked);
}

void PaymentSource::readAgain(const QStringList& operationIds)
{
    if (operationIds.isEmpty() || m_readingAgain)
        return;
    ListQuery list(sql::console::payments::list);
    list.where(u"ids"_s, {{u":ids"_s, u'{' + operationIds.join(u',') + u'}'}});
    list.order(u"newest"_s).value(u":limit"_s, qint64(operationIds.size()));
    m_readingAgain = true;
    m_session->ask(Lane::Read, {list.build()}, this, [this](const Answer& got) {
        m_readingAgain = false;
        if (got.failed())
            return;
        QVector<RecordRow> rows;
        for (const Row& row : got.rows.front())
            rows << recordOf(row);
        Q_EMIT rowsRead(rows);
    });
}

} // namespace tekil::ui::payments
