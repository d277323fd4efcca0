// A window of at most 10,000 rows over a table of any size, read page by page behind cursors, without blocking.
#pragma once

#include "ui/widgets/record_model.h"

#include <QHash>
#include <QObject>
#include <QString>
#include <QVector>

#include <cstdint>
#include <deque>
#include <optional>

namespace tekil::ui {

// A cursor is opaque: the source made it of what the sort needs, at full precision; the model only hands it back.
struct RecordRow {
    QString id;
    QString cursor;
    QVector<QVariant> cells; // one per column, of the kind's type
    bool pending = false;
};

struct PageQuery {
    QString filter;
    QString sortColumn;
    Qt::SortOrder order = Qt::DescendingOrder;
    friend bool operator==(const PageQuery&, const PageQuery&) = default;
};

struct PageRequest {
    enum class Place : std::uint8_t {
        Head,   // from the first row on
        From,   // from the cursor's row on, that row included
        After,  // the rows after the cursor
        Before, // the rows directly before the cursor
    };
    quint64 id = 0;
    PageQuery query;
    Place place = Place::Head;
    QString cursor;
    int limit = 0;
};

// Rows in the order of the sort, for every place. `more` says whether rows follow in the direction asked for.
struct Page {
    quint64 requestId = 0;
    QVector<RecordRow> rows;
    bool more = false;
    std::optional<RecordTotal> total;
};

struct PageFailure {
    quint64 requestId = 0;
    QString what, whatToDo, code; // as in RecordStatus
};

// Where pages come from. Answers are signals on the GUI thread; a late one is recognised by its request's id.
class PageSource : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    virtual void request(const PageRequest& request) = 0;
    virtual void cancel(quint64 requestId) = 0; // a hint: an answer may come all the same

Q_SIGNALS:
    void pageReady(const tekil::ui::Page& page);
    void pageFailed(const tekil::ui::PageFailure& failure);
};

class KeysetModel : public RecordModel {
    Q_OBJECT
public:
    static constexpr int kPageRows = 200;
    static constexpr int kWindowRows = 10'000;

    // The source is not owned and must outlive the model.
    KeysetModel(QVector<Column> columns, PageSource* source, QObject* parent = nullptr);

    // Asks for the first page. Rows of the last query stay until the answer is there; its late answers are dropped.
    void setQuery(const PageQuery& query);
    const PageQuery& query() const { return m_query; }

    void refresh(); // reads the window again and applies the difference
    void growHead(); // asks for what stands before the first row, for a live feed

    // Rows known to have changed: those in the window are updated, the others ignored.
    void updateRows(const QVector<RecordRow>& rows);

    const QVector<Column>& columns() const override { return m_columns; }
    QString recordId(int row) const override;
    QVariant raw(int row, int column) const override;
    bool isPending(int row) const override;
    int rowOf(const QString& id) const override;
    RecordStatus status() const override { return m_status; }
    std::optional<RecordTotal> total() const override { return m_total; }
    void reload() override;
    int heldBack() const override { return static_cast<int>(m_held.size()); }
    void showHeldBack() override;
    void setFollowing(bool following) override;
    bool canFetchHead() const override;
    void fetchHead() override;
    bool atHead() const override { return m_atHead; }

    int rowCount(const QModelIndex& parent = {}) const override;
    bool canFetchMore(const QModelIndex& parent) const override;
    void fetchMore(const QModelIndex& parent) override;

private:
    enum class Job : std::uint8_t { First, Tail, Head, Refresh, Grow };

    void ask(Job job, PageRequest::Place place, const QString& cursor, int limit);
    void forget();
    bool isAsking(Job job) const;
    void onPage(const Page& page);
    void onFailure(const PageFailure& failure);
    void setStatus(const RecordStatus& status);

    void applyAll(QVector<RecordRow> rows);
    void removeGone(const QVector<RecordRow>& rows);
    void updateRow(int row, const RecordRow& now);
    void insertRows(int at, const QVector<RecordRow>& rows);
    void removeRowsAt(int first, int count);
    void appendTail(const Page& page);
    void prependHead(const Page& page);
    void grow(QVector<RecordRow> rows);
    QVector<RecordRow> withoutKnown(const QVector<RecordRow>& rows) const;
    void trimTail();
    void trimHead();
    void setHeld(QVector<RecordRow> rows);

    QVector<Column> m_columns;
    PageSource* m_source;
    PageQuery m_query;
    std::deque<RecordRow> m_rows;
    QSet<QString> m_ids; // of m_rows
    QVector<RecordRow> m_held; // stand before the first row, not shown yet
    QHash<quint64, Job> m_asked;
    quint64 m_lastRequest = 0;
    bool m_atHead = true; // nothing was dropped before the first row
    bool m_tailMore = false;
    bool m_following = true;
    RecordStatus m_status;
    std::optional<RecordTotal> m_total;
};

} // namespace tekil::ui
