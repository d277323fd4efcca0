// The port between rows and the one table: whoever has records implements it, RecordTable shows them.
#pragma once

#include "ui/widgets/state_shape.h"

#include <QAbstractTableModel>
#include <QMetaType>
#include <QVector>

#include <cstdint>
#include <optional>

namespace tekil::ui {

// What a column holds. The raw value's type in brackets; an invalid QVariant is absence and shows as "–".
enum class ColumnKind : std::uint8_t {
    Text,        // [QString] elided at the end
    Id,          // [QString] Hack, the last eight characters
    Key,         // [QString] Hack, elided in the middle
    Money,       // [Amount] right
    Currency,    // [QString] in its own narrow column beside the money
    State,       // [Shape] shape and word
    Reservation, // [Shape]
    Age,         // [qint64, µs since 1970 of the beginning] two units up to now()
    Time,        // [qint64, µs since 1970]
    Person,      // [QString]
    Number,      // [qint64] right
};

struct Amount {
    std::int64_t minor = 0;
    int exponent = 2;
    QString currency;
    friend bool operator==(const Amount&, const Amount&) = default;
};

struct Column {
    QString id;    // stable: sorting, saved widths and export know the column by it
    QString title; // translated
    ColumnKind kind = ColumnKind::Text;
    int width = 96;          // px at 96 dpi
    bool frozen = false;     // frozen columns stand first
    bool sortable = false;   // the server offers this sort
    bool hideable = true;    // false for what names the record
    int dropOrder = 0;       // 0 never; else the highest goes first when the page is narrow
    bool secondary = false;  // in ink2: facts that are read after the first ones
};

enum RecordRole : int {
    RawRole = Qt::UserRole + 1, // the typed value
    RecordIdRole,               // QString
    PendingRole,                // bool: a request waits for this record
    AttentionRole,              // bool: the row's id stands in ink
};

// Whether rows can be trusted to be what was asked for.
struct RecordStatus {
    enum class Kind : std::uint8_t { Ready, Loading, Failed };
    Kind kind = Kind::Ready;
    QString what;     // Failed: what happened, one sentence
    QString whatToDo; // Failed: what still holds and what to do
    QString code;     // Failed: SQLSTATE or the like, to be copied
};

// An estimated total is shown with "~".
struct RecordTotal {
    std::int64_t count = 0;
    bool exact = false;
};

class RecordModel : public QAbstractTableModel {
    Q_OBJECT
public:
    using QAbstractTableModel::QAbstractTableModel;

    virtual const QVector<Column>& columns() const = 0;
    virtual QString recordId(int row) const = 0;
    virtual QVariant raw(int row, int column) const = 0;
    virtual bool isPending(int) const { return false; }
    virtual int rowOf(const QString& id) const; // -1 when it is not in the window

    virtual RecordStatus status() const { return {}; }
    virtual std::optional<RecordTotal> total() const { return std::nullopt; }
    virtual void reload() {} // asks again after a failure

    // The live head: rows that arrived while the reader was scrolled away are counted, and shown on request.
    virtual int heldBack() const { return 0; }
    virtual void showHeldBack() {}
    virtual void setFollowing(bool) {} // true while the reader is at the top
    virtual bool atHead() const { return true; } // false: rows were dropped before the first one
    virtual bool canFetchHead() const { return false; }
    virtual void fetchHead() {}

    // Ages count up to here; the shell moves it once a second while data is current.
    void setNow(std::int64_t us);
    std::int64_t now() const { return m_nowUs; }

    int columnOf(const QString& columnId) const; // -1
    QString sheetText(int row, int column) const; // for sheets: whole ids, full times, no grouping
    QString machineText(int row, int column) const; // for CSV: no language, ISO 8601 UTC, decimal point

    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

Q_SIGNALS:
    void statusChanged();
    void totalChanged();
    void heldBackChanged(int count);

private:
    QString display(int row, int column) const;
    QString accessible(int row, int column) const;

    std::int64_t m_nowUs = 0;
};

bool isRightAligned(ColumnKind kind);

// Rows as text. A cell of words that a sheet would read as a formula is led by an apostrophe.
QString tsvOf(const RecordModel& model, const QVector<int>& rows, const QVector<int>& columns);
QString csvOf(const RecordModel& model, const QVector<int>& rows, const QVector<int>& columns);

} // namespace tekil::ui

Q_DECLARE_METATYPE(tekil::ui::Amount)
