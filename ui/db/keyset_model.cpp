// The window's edges: what is asked for, what is dropped, and how an answer becomes inserts, removals and changes.
#include "ui/db/keyset_model.h"

#include <algorithm>

namespace tekil::ui {

namespace {

constexpr int kDropRows = 500;    // dropped at once at the far end, so that it does not happen at every page
constexpr int kRefreshSpare = KeysetModel::kPageRows; // room for rows that arrived since

} // namespace

KeysetModel::KeysetModel(QVector<Column> columns, PageSource* source, QObject* parent)
    : RecordModel(parent), m_columns(std::move(columns)), m_source(source)
{
    connect(source, &PageSource::pageReady, this, &KeysetModel::onPage);
    connect(source, &PageSource::pageFailed, this, &KeysetModel::onFailure);
}

int KeysetModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

QString KeysetModel::recordId(int row) const
{
    return m_rows.at(static_cast<std::size_t>(row)).id;
}

QVariant KeysetModel::raw(int row, int column) const
{
    return m_rows.at(static_cast<std::size_t>(row)).cells.value(column);
}

bool KeysetModel::isPending(int row) const
{
    return m_rows.at(static_cast<std::size_t>(row)).pending;
}

int KeysetModel::rowOf(const QString& id) const
{
    return m_ids.contains(id) ? RecordModel::rowOf(id) : -1;
}

bool KeysetModel::isAsking(Job job) const
{
    return std::find(m_asked.cbegin(), m_asked.cend(), job) != m_asked.cend();
}

void KeysetModel::ask(Job job, PageRequest::Place place, const QString& cursor, int limit)
{
    if (isAsking(job))
        return;
    PageRequest request;
    request.id = ++m_lastRequest;
    request.query = m_query;
    request.place = place;
    request.cursor = cursor;
    request.limit = limit;
    m_asked.insert(request.id, job);
    m_source->request(request);
}

void KeysetModel::forget()
{
    for (auto it = m_asked.cbegin(); it != m_asked.cend(); ++it)
        m_source->cancel(it.key());
    m_asked.clear();
}

void KeysetModel::setQuery(const PageQuery& query)
{
    forget();
    m_query = query;
    setHeld({});
    m_total.reset();
    setStatus({RecordStatus::Kind::Loading, {}, {}, {}});
    Q_EMIT totalChanged();
    ask(Job::First, PageRequest::Place::Head, {}, kPageRows);
}

void KeysetModel::reload()
{
    // What failed may have been the first page of a new query: the window's rows are then another query's.
    setQuery(m_query);
}

void KeysetModel::refresh()
{
    if (isAsking(Job::First))
        return;
    const int limit = std::min(rowCount() + kRefreshSpare, kWindowRows);
    if (m_atHead || m_rows.empty())
        ask(Job::Refresh, PageRequest::Place::Head, {}, limit);
    else
        ask(Job::Refresh, PageRequest::Place::From, m_rows.front().cursor, limit);
}

void KeysetModel::growHead()
{
    if (isAsking(Job::First) || !m_atHead)
        return;
    if (m_rows.empty())
        return refresh();
    const QString& first = m_held.isEmpty() ? m_rows.front().cursor : m_held.front().cursor;
    ask(Job::Grow, PageRequest::Place::Before, first, kPageRows);
}

bool KeysetModel::canFetchMore(const QModelIndex& parent) const
{
    return !parent.isValid() && m_tailMore && !m_rows.empty() && !isAsking(Job::Tail) && !isAsking(Job::First);
}

void KeysetModel::fetchMore(const QModelIndex& parent)
{
    if (canFetchMore(parent))
        ask(Job::Tail, PageRequest::Place::After, m_rows.back().cursor, kPageRows);
}

bool KeysetModel::canFetchHead() const
{
    return !m_atHead && !m_rows.empty() && !isAsking(Job::Head) && !isAsking(Job::First);
}

void KeysetModel::fetchHead()
{
    if (canFetchHead())
        ask(Job::Head, PageRequest::Place::Before, m_rows.front().cursor, kPageRows);
}

void KeysetModel::onPage(const Page& page)
{
    const auto found = m_asked.constFind(page.requestId);
    if (found == m_asked.cend())
        return; // late: its query or its window is gone
    const Job job = *found;
    m_asked.erase(found);
    if (page.total) {
        m_total = page.total;
        Q_EMIT totalChanged();
    }
    switch (job) {
    case Job::First:
        m_atHead = true;
        m_tailMore = page.more;
        applyAll(page.rows);
        break;
    case Job::Refresh: {
        QVector<RecordRow> rows = page.rows;
        m_tailMore = page.more;
        QVector<RecordRow> fresh;
        if (m_atHead && !m_following && !m_rows.empty())
            while (!rows.isEmpty() && !m_ids.contains(rows.front().id))
                fresh << rows.takeFirst();
        // Where no known row is left there is nothing to stand before: the answer is the window.
        applyAll(rows.isEmpty() && !fresh.isEmpty() ? std::exchange(fresh, {}) : rows);
        if (m_atHead)
            setHeld(fresh);
        break;
    }
    case Job::Tail: appendTail(page); break;
    case Job::Head: prependHead(page); break;
    case Job::Grow:
        grow(withoutKnown(page.rows));
        if (page.more) // rows directly before were more than a page: the rest comes with the next one
            growHead();
        break;
    }
    setStatus(isAsking(Job::First) ? m_status : RecordStatus{});
}

void KeysetModel::onFailure(const PageFailure& failure)
{
    const auto found = m_asked.constFind(failure.requestId);
    if (found == m_asked.cend())
        return;
    m_asked.erase(found);
    setStatus({RecordStatus::Kind::Failed, failure.what, failure.whatToDo, failure.code});
}

void KeysetModel::setStatus(const RecordStatus& status)
{
    m_status = status;
    Q_EMIT statusChanged();
}

void KeysetModel::applyAll(QVector<RecordRow> rows)
{
    if (rows.size() > kWindowRows) {
        rows.resize(kWindowRows);
        m_tailMore = true;
    }
    removeGone(rows);
    for (int at = 0; at < rows.size(); ++at) {
        const RecordRow& wanted = rows.at(at);
        if (at < rowCount() && recordId(at) == wanted.id) {
            updateRow(at, wanted);
        } else if (m_ids.contains(wanted.id)) {
            const int from = RecordModel::rowOf(wanted.id);
            beginMoveRows({}, from, from, {}, at);
            RecordRow moved = std::move(m_rows[static_cast<std::size_t>(from)]);
            m_rows.erase(m_rows.begin() + from);
            m_rows.insert(m_rows.begin() + at, std::move(moved));
            endMoveRows();
            updateRow(at, wanted);
        } else {
            int end = at + 1;
            while (end < rows.size() && !m_ids.contains(rows.at(end).id))
                ++end;
            insertRows(at, rows.mid(at, end - at));
            at = end - 1;
        }
    }
}

void KeysetModel::removeGone(const QVector<RecordRow>& rows)
{
    QSet<QString> kept;
    for (const RecordRow& row : rows)
        kept.insert(row.id);
    for (int last = rowCount() - 1; last >= 0; --last) {
        if (kept.contains(recordId(last)))
            continue;
        int first = last;
        while (first > 0 && !kept.contains(recordId(first - 1)))
            --first;
        removeRowsAt(first, last - first + 1);
        last = first;
    }
}

void KeysetModel::updateRow(int row, const RecordRow& now)
{
    RecordRow& held = m_rows[static_cast<std::size_t>(row)];
    const RecordRow before = std::exchange(held, now);
    for (int column = 0; column < m_columns.size(); ++column) {
        const bool mark = m_columns.at(column).kind == ColumnKind::State && before.pending != now.pending;
        if (mark || before.cells.value(column) != now.cells.value(column))
            Q_EMIT dataChanged(index(row, column), index(row, column));
    }
}

void KeysetModel::insertRows(int at, const QVector<RecordRow>& rows)
{
    if (rows.isEmpty())
        return;
    beginInsertRows({}, at, at + static_cast<int>(rows.size()) - 1);
    m_rows.insert(m_rows.begin() + at, rows.begin(), rows.end());
    for (const RecordRow& row : rows)
        m_ids.insert(row.id);
    endInsertRows();
}

void KeysetModel::removeRowsAt(int first, int count)
{
    if (count <= 0)
        return;
    beginRemoveRows({}, first, first + count - 1);
    for (int row = first; row < first + count; ++row)
        m_ids.remove(recordId(row));
    m_rows.erase(m_rows.begin() + first, m_rows.begin() + first + count);
    endRemoveRows();
}

QVector<RecordRow> KeysetModel::withoutKnown(const QVector<RecordRow>& rows) const
{
    QVector<RecordRow> unknown;
    for (const RecordRow& row : rows) {
        const bool held = std::any_of(m_held.begin(), m_held.end(),
                                      [&](const RecordRow& other) { return other.id == row.id; });
        if (!held && !m_ids.contains(row.id))
            unknown << row;
    }
    return unknown;
}

void KeysetModel::appendTail(const Page& page)
{
    m_tailMore = page.more;
    insertRows(rowCount(), withoutKnown(page.rows));
    trimHead();
}

void KeysetModel::prependHead(const Page& page)
{
    insertRows(0, withoutKnown(page.rows));
    m_atHead = !page.more;
    trimTail();
}

void KeysetModel::grow(QVector<RecordRow> rows)
{
    if (rows.isEmpty())
        return;
    if (m_following) {
        insertRows(0, rows);
        trimTail();
        return;
    }
    rows += m_held;
    setHeld(rows);
}

void KeysetModel::trimTail()
{
    if (rowCount() <= kWindowRows)
        return;
    const int count = std::min(rowCount() - kWindowRows + kDropRows, rowCount());
    removeRowsAt(rowCount() - count, count);
    m_tailMore = true;
}

void KeysetModel::trimHead()
{
    if (rowCount() <= kWindowRows)
        return;
    setHeld({});
    removeRowsAt(0, std::min(rowCount() - kWindowRows + kDropRows, rowCount()));
    m_atHead = false;
}

void KeysetModel::setHeld(QVector<RecordRow> rows)
{
    // More than a window of new rows is shown by reading the head anew; only their number is of use until then.
    if (rows.size() > kWindowRows)
        rows.resize(kWindowRows);
    const bool changed = rows.size() != m_held.size();
    m_held = std::move(rows);
    if (changed)
        Q_EMIT heldBackChanged(heldBack());
}

void KeysetModel::showHeldBack()
{
    m_following = true;
    if (m_held.isEmpty())
        return;
    const QVector<RecordRow> rows = std::exchange(m_held, {});
    insertRows(0, rows);
    trimTail();
    Q_EMIT heldBackChanged(0);
}

void KeysetModel::setFollowing(bool following)
{
    m_following = following;
    if (following && m_atHead)
        showHeldBack();
}

void KeysetModel::updateRows(const QVector<RecordRow>& rows)
{
    QHash<QString, const RecordRow*> changed;
    for (const RecordRow& row : rows) {
        if (m_ids.contains(row.id))
            changed.insert(row.id, &row);
        for (RecordRow& held : m_held)
            if (held.id == row.id)
                held = row;
    }
    for (int row = 0; row < rowCount() && !changed.isEmpty(); ++row)
        if (const RecordRow* now = changed.take(recordId(row)))
            updateRow(row, *now);
}

} // namespace tekil::ui
