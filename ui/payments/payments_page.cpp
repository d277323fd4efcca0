// Holds list and inspector together: one selection, one filter, one age.
#include "ui/payments/payments_page.h"

#include "core/base/uuid.h"
#include "sql_console.h"
#include "ui/payments/payment_filter.h"
#include "ui/payments/payment_inspector.h"
#include "ui/payments/payment_words.h"
#include "ui/widgets/field.h"
#include "ui/widgets/format.h"
#include "ui/widgets/record_table.h"

#include <QBoxLayout>
#include <QEvent>
#include <QMenu>
#include <QPainter>
#include <QPointer>
#include <QSettings>

#include <map>
#include <utility>

namespace tekil::ui::payments {

using namespace Qt::Literals::StringLiterals;

namespace {

constexpr int kSmallWindow = 600;            // rows that may be read again at every ring of the bell
constexpr std::int64_t kFullReadUs = 10'000'000; // a larger window is read again this often
constexpr int kOpenRows = 500;               // open payments of a larger window that are followed one by one
const QString kStateKey = u"payments"_s;

} // namespace

PaymentsPage::PaymentsPage(Session* session, QWidget* parent)
    : DeskPage(parent), m_session(session), m_source(new PaymentSource(session, this)),
      m_inspector(new PaymentInspector(session)), m_title(new Label({}, Face::Title, QFont::Bold)),
      m_scope(new Label({}, Face::Body, QFont::Normal, Ink::Second)), m_columns(new Button({})),
      m_filter(new Field(Field::Kind::Filter, {})), m_tablePlace(new QWidget)
{
    build();
    connectParts();
    makeTable();
    retranslate();
    m_model->setQuery({m_goodFilter, u"created"_s, Qt::DescendingOrder});
    onState();
}

PaymentsPage::~PaymentsPage()
{
    delete m_table; // before its model
}

void PaymentsPage::build()
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(px(16), px(12), px(16), 0);
    head->setSpacing(px(12));
    head->addWidget(m_title);
    m_scope->setElided(true);
    head->addWidget(m_scope, 1);
    m_columns->setLineIcon(Icon::Columns);
    head->addWidget(m_columns);
    column->addLayout(head);
    auto* filterRow = new QVBoxLayout;
    filterRow->setContentsMargins(px(16), px(12), px(16), px(12));
    filterRow->setSpacing(px(2));
    filterRow->addWidget(m_filter);
    filterRow->addWidget(new FieldError(m_filter));
    column->addLayout(filterRow);
    auto* place = new QVBoxLayout(m_tablePlace);
    place->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_tablePlace, 1);
}

void PaymentsPage::connectParts()
{
    connect(m_session, &Session::changed, this, &PaymentsPage::onLive);
    connect(m_session, &Session::stateChanged, this, &PaymentsPage::onState);
    connect(m_filter, &Field::settled, this, &PaymentsPage::applyFilter);
    connect(m_columns, &Button::clicked, this, &PaymentsPage::showColumns);
    connect(m_inspector, &PaymentInspector::closeRequested, this, [this] { Q_EMIT inspectorWanted(false); });
    connect(m_inspector, &PaymentInspector::windowRequested, this, &PaymentsPage::openWindow);
}

// Made anew after a change of language, since the columns' words are the model's.
void PaymentsPage::makeTable()
{
    const QString selected = m_inspector->operationId();
    const PageQuery query = m_model ? m_model->query() : PageQuery{{}, u"created"_s, Qt::DescendingOrder};
    delete m_table;
    delete m_model;
    m_model = new KeysetModel(paymentColumns(), m_source, this);
    m_model->setNow(m_session->serverNowUs());
    m_table = new RecordTable(tr("Payments"));
    m_table->setModel(m_model);
    QSettings settings;
    settings.beginGroup(u"tables/"_s + kStateKey);
    const bool untouched = settings.allKeys().isEmpty();
    settings.endGroup();
    m_table->setStateKey(kStateKey);
    if (untouched)
        for (const QString& optional : {u"customer"_s, u"provider"_s, u"account"_s, u"type"_s})
            m_table->setColumnHidden(optional, true);
    m_table->setSort(query.sortColumn, query.order);
    m_tablePlace->layout()->addWidget(m_table);
    connect(m_source, &PaymentSource::rowsRead, m_model, &KeysetModel::updateRows);
    connect(m_table, &RecordTable::sortRequested, this,
            [this](const QString& column, Qt::SortOrder order) { m_model->setQuery({m_goodFilter, column, order}); });
    connect(m_table, &RecordTable::currentChanged, this, [this](const QString& id) {
        if (!id.isEmpty())
            m_inspector->open(id);
    });
    connect(m_table, &RecordTable::activated, this, [this](const QString& id) {
        m_inspector->open(id);
        Q_EMIT inspectorWanted(true);
    });
    connect(m_table, &RecordTable::selectionChanged, this, &DeskPage::statusChanged);
    connect(m_table, &RecordTable::emptyActionRequested, this, [this] {
        m_filter->clear();
        applyFilter({});
        m_filter->setFocus();
    });
    connect(m_model, &RecordModel::statusChanged, this, [this] {
        showTrailing();
        Q_EMIT statusChanged();
    });
    connect(m_model, &RecordModel::totalChanged, this, [this] {
        showTrailing();
        Q_EMIT statusChanged();
    });
    if (!selected.isEmpty())
        connect(
            m_model, &QAbstractItemModel::rowsInserted, m_table,
            [this, id = selected] {
                if (m_table->selectedIds().isEmpty())
                    m_table->select(id);
            },
            Qt::SingleShotConnection);
    showEmptyText();
}

QString PaymentsPage::id() const
{
    return u"payments"_s;
}

QString PaymentsPage::word() const
{
    return tr("Payments");
}

QWidget* PaymentsPage::inspector()
{
    return m_inspector;
}

void PaymentsPage::focusFilter()
{
    m_filter->setFocus(Qt::ShortcutFocusReason);
    m_filter->selectAll();
}

void PaymentsPage::focusContent()
{
    m_table->setFocus(Qt::ShortcutFocusReason);
}

void PaymentsPage::refreshNow()
{
    m_model->refresh();
    m_inspector->refresh();
}

void PaymentsPage::showColumns()
{
    m_table->columnMenu()->popup(m_columns->mapToGlobal(QPoint(0, m_columns->height())));
}

void PaymentsPage::showFiltered(const QString& filter)
{
    m_filter->setText(filter);
    applyFilter(filter);
}

void PaymentsPage::tick()
{
    if (m_session->state().reads())
        m_model->setNow(m_session->serverNowUs());
    m_inspector->tick();
    showScope();
}

void PaymentsPage::open(const QString& recordId)
{
    m_table->select(recordId);
    m_inspector->open(recordId);
    Q_EMIT inspectorWanted(true);
}

void PaymentsPage::openWindow(const QString& operationId)
{
    auto* window = new PaymentInspector(m_session);
    window->setWindowFlag(Qt::Window);
    window->setAttribute(Qt::WA_DeleteOnClose);
    window->setWindowTitle(tr("Payment %1").arg(operationId));
    window->resize(px(520), px(760));
    window->setInOwnWindow(true);
    connect(m_session, &QObject::destroyed, window, &QWidget::close);
    auto* seconds = new QTimer(window);
    connect(seconds, &QTimer::timeout, window, &PaymentInspector::tick);
    seconds->start(1000);
    window->open(operationId);
    window->show();
}

void PaymentsPage::applyFilter(const QString& text)
{
    const QString filter = text.simplified();
    const auto parsed = PaymentFilter::parse(filter, {m_session->serverNowUs(), formatter().zone()});
    if (const auto* problem = std::get_if<FilterProblem>(&parsed)) {
        m_filter->setError(sentenceOf(*problem));
        m_filter->setTrailing({});
        return;
    }
    m_filter->setError({});
    showTrailing();
    if (filter == m_goodFilter)
        return;
    m_goodFilter = filter;
    showEmptyText();
    showScope();
    m_model->setQuery({filter, m_model->query().sortColumn, m_model->query().order});
}

void PaymentsPage::showEvent(QShowEvent* event)
{
    DeskPage::showEvent(event);
    if (std::exchange(m_missed, false))
        onLive();
}

void PaymentsPage::onLive()
{
    m_missed = !isVisible();
    if (m_missed)
        return;
    m_model->setNow(m_session->serverNowUs());
    const std::int64_t now = m_session->serverNowUs();
    if (m_model->rowCount() <= kSmallWindow || now - m_fullReadUs > kFullReadUs) {
        m_fullReadUs = now;
        return m_model->refresh();
    }
    m_model->growHead();
    QStringList open;
    const int state = m_model->columnOf(u"state"_s);
    for (int row = 0; row < m_model->rowCount() && open.size() < kOpenRows; ++row) {
        const auto shape = m_model->raw(row, state).value<Shape>();
        if (shape == Shape::Processing || shape == Shape::Unknown)
            open << m_model->recordId(row);
    }
    m_source->readAgain(open);
}

void PaymentsPage::onState()
{
    showScope();
    showTrailing();
    Q_EMIT statusChanged();
}

void PaymentsPage::showScope()
{
    const ConnectionState& state = m_session->state();
    const bool old = !state.reads() && state.kind != ConnectionState::Kind::Connecting;
    m_scope->setText(old                      ? tr("as of %1").arg(formatter().shortTime(m_session->dataAsOfUs()))
                     : m_goodFilter.isEmpty() ? tr("newest first")
                                              : QString());
}

void PaymentsPage::showEmptyText()
{
    if (m_goodFilter.isEmpty())
        return m_table->setEmptyText({EmptyText::Kind::NothingYet,
                                      tr("There are no payments yet."),
                                      tr("They appear here as soon as a merchant sends one."),
                                      {}});
    if (m_goodFilter.compare(u"state:unknown"_s, Qt::CaseInsensitive) == 0)
        return m_table->setEmptyText({EmptyText::Kind::AllDone, tr("No unknown payments."),
                                      tr("Every payment has a known outcome."), tr("Clear filter")});
    m_table->setEmptyText({EmptyText::Kind::NothingMatches, tr("No payment matches %1.").arg(m_goodFilter),
                           tr("Clear the filter with Esc to see all."), tr("Clear filter")});
}

void PaymentsPage::showTrailing()
{
    const auto total = m_model->total();
    if (m_goodFilter.isEmpty() || !m_filter->error().isEmpty())
        return m_filter->setTrailing({});
    if (m_model->status().kind == RecordStatus::Kind::Loading)
        return m_filter->setTrailing(tr("searching"));
    m_filter->setTrailing(total && total->exact ? tr("%1 match").arg(formatter().count(total->count))
                                                : tr("more than %1 match").arg(formatter().count(m_model->rowCount())));
}

QStringList PaymentsPage::statusParts() const
{
    QStringList parts;
    const Formatter& words = formatter();
    const auto total = m_model->total();
    const QString shown = words.count(m_model->rowCount());
    if (total && total->exact && total->count <= m_model->rowCount())
        parts << tr("%n payments", nullptr, m_model->rowCount());
    else if (total)
        parts << tr("%1 of %2%3 payments").arg(shown, total->exact ? QString() : u"~"_s, words.count(total->count));
    else
        parts << tr("%1 payments and more").arg(shown);
    if (!m_session->state().reads() && m_session->dataAsOfUs() > 0)
        parts.front() += u", "_s + tr("as of %1").arg(words.shortTime(m_session->dataAsOfUs()));
    const QStringList ids = m_table->selectedIds();
    if (ids.isEmpty())
        return parts;
    std::map<QString, Amount> sums;
    const int column = m_model->columnOf(u"amount"_s);
    bool exact = true;
    for (const QString& id : ids) {
        const auto amount = m_model->raw(m_model->rowOf(id), column).value<Amount>();
        const auto [sum, isNew] = sums.try_emplace(amount.currency, amount);
        if (!isNew && __builtin_add_overflow(sum->second.minor, amount.minor, &sum->second.minor))
            exact = false;
    }
    QStringList texts;
    for (const auto& [currency, sum] : sums)
        texts << words.money(sum.minor, sum.exponent, currency);
    parts << tr("%1 selected: %2")
                 .arg(words.count(ids.size()), exact ? texts.join(u" + "_s) : tr("the sum is too large"));
    return parts;
}

FindHit PaymentsPage::hitOf(const Row& row, const QString& by)
{
    const std::optional<PaymentState> state = paymentStateFromName(row.text(1).toStdString());
    FindHit hit;
    hit.id = row.text(0);
    hit.shape = state ? shapeOf(*state) : Shape::Processing;
    hit.title = tr("Invoice %1").arg(row.text(6));
    hit.amount = formatter().money(row.int64(2), static_cast<int>(row.int64(4)), row.text(3));
    hit.detail = row.text(8) + u" · "_s + row.text(7) + u" · "_s + formatter().full(row.int64(5));
    hit.by = by;
    return hit;
}

void PaymentsPage::find(const QString& text, std::function<void(const FindAnswer&)> then)
{
    m_session->cancel(m_find);
    const QString wanted = text.trimmed();
    QVector<Query> queries;
    QStringList by;
    if (Uuid::fromText(wanted.toStdString())) {
        queries << statement(sql::console::payments::findOperation, {{u":operation_id"_s, wanted}});
        by << tr("operation");
    }
    queries << statement(sql::console::payments::findKey, {{u":key"_s, wanted}})
            << statement(sql::console::payments::findInvoice,
                         {{u":prefix"_s, likeEscaped(wanted) + u'%'}, {u":exact"_s, wanted}});
    by << tr("key") << tr("invoice");
    m_find = m_session->ask(Lane::Inspector, queries, this, [by, then](const Answer& got) {
        FindAnswer answer;
        if (got.failed()) {
            const Problem problem = problemOf(*got.error);
            answer.problem = problem.what;
            return then(answer);
        }
        QStringList known;
        for (int i = 0; i < got.rows.size(); ++i)
            for (const Row& row : got.rows.at(i)) {
                if (known.contains(row.text(0)))
                    continue;
                known << row.text(0);
                answer.hits << hitOf(row, by.at(i));
            }
        then(answer);
    });
}

void PaymentsPage::retranslate()
{
    m_title->setText(tr("Payments"));
    m_columns->setText(tr("Columns"));
    m_filter->setPlaceholderText(tr("field:value, for example state:unknown"));
    m_filter->setAccessibleName(tr("Filter"));
    m_filter->setToolTip(tr("state: invoice: key: merchant: account: amount> created: id: currency: type: provider:"));
    showScope();
    showTrailing();
    showEmptyText();
}

void PaymentsPage::changeEvent(QEvent* event)
{
    DeskPage::changeEvent(event);
    if (event->type() != QEvent::LanguageChange)
        return;
    const PageQuery query = m_model->query();
    makeTable();
    m_model->setQuery(query);
    retranslate();
    Q_EMIT statusChanged();
}

void PaymentsPage::paintEvent(QPaintEvent*)
{
    QPainter(this).fillRect(rect(), tokensFor(this).base);
}

} // namespace tekil::ui::payments
