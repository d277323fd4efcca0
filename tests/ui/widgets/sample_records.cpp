// Invented payments; every state, three exponents.
#include "tests/ui/widgets/sample_records.h"

namespace tekil::ui {

using namespace Qt::Literals::StringLiterals;

SampleRecords::SampleRecords(int rows, QObject* parent) : RecordModel(parent)
{
    const auto add = [this](const char* id, const QString& title, ColumnKind kind, int width, bool frozen,
                            bool sortable, int drop) {
        Column column;
        column.id = QString::fromLatin1(id);
        column.title = title;
        column.kind = kind;
        column.width = width;
        column.frozen = frozen;
        column.sortable = sortable;
        column.dropOrder = drop;
        column.hideable = column.id != u"id";
        m_columns << column;
    };
    add("state", u"State"_s, ColumnKind::State, 124, true, false, 0);
    add("id", u"Payment"_s, ColumnKind::Id, 88, true, false, 0);
    add("amount", u"Amount"_s, ColumnKind::Money, 88, true, true, 0);
    add("currency", u"Currency"_s, ColumnKind::Currency, 44, true, false, 0);
    add("created", u"Created"_s, ColumnKind::Time, 104, false, true, 0);
    add("invoice", u"Invoice"_s, ColumnKind::Text, 140, false, false, 0);
    add("key", u"Key"_s, ColumnKind::Key, 92, false, false, 1);
    add("merchant", u"Merchant"_s, ColumnKind::Text, 88, false, false, 2);
    m_columns.last().secondary = true;
    for (int number = 0; number < rows; ++number)
        m_rows << sample(number);
    setNow(kSampleNow);
}

SampleRecords::Row SampleRecords::sample(int number)
{
    static const Shape states[] = {Shape::Processing, Shape::Completed, Shape::Completed, Shape::Failed,
                                   Shape::Completed,  Shape::Unknown,   Shape::Completed};
    static const QString merchants[] = {u"bilet"_s, u"market"_s, u"hotel-izmir"_s, u"kargo"_s, u"shop"_s};
    Row row;
    row.id = u"019cbdae-17be-7d51-84cb-%1"_s.arg(0xd30304861d02LL - number * 7919, 12, 16, QChar(u'0'));
    row.state = states[number % 7];
    row.minor = 248'000 + (number * 13'729) % 2'400'000;
    row.exponent = number % 11 == 7 ? 0 : number % 11 == 9 ? 3 : 2;
    row.currency = row.exponent == 0 ? u"JPY"_s : row.exponent == 3 ? u"KWD"_s : number % 5 == 4 ? u"EUR"_s : u"TRY"_s;
    row.createdUs = kSampleNow - 98'000 - number * 37'411'000LL;
    row.invoice = number % 3 == 0 ? QString::number(88'412 - number)
                                  : u"FTR-2026-%1"_s.arg(3141 - number, 6, 10, QChar(u'0'));
    row.key = u"b1f0-%1"_s.arg(88'412 - number);
    row.merchant = merchants[number % 5];
    row.pending = number == 12;
    return row;
}

int SampleRecords::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

QVariant SampleRecords::raw(int row, int column) const
{
    const Row& r = m_rows.at(row);
    switch (column) {
    case 0: return QVariant::fromValue(r.state);
    case 1: return r.id;
    case 2: return QVariant::fromValue(Amount{r.minor, r.exponent, r.currency});
    case 3: return r.currency;
    case 4: return QVariant::fromValue<qint64>(r.createdUs);
    case 5: return r.invoice;
    case 6: return r.key;
    case 7: return r.merchant.isEmpty() ? QVariant() : QVariant(r.merchant);
    default: return {};
    }
}

void SampleRecords::insert(int at, const QVector<Row>& rows)
{
    beginInsertRows({}, at, at + static_cast<int>(rows.size()) - 1);
    for (int i = 0; i < rows.size(); ++i)
        m_rows.insert(at + i, rows.at(i));
    endInsertRows();
}

void SampleRecords::remove(int first, int count)
{
    beginRemoveRows({}, first, first + count - 1);
    m_rows.remove(first, count);
    endRemoveRows();
}

void SampleRecords::setState(int row, Shape state)
{
    m_rows[row].state = state;
    Q_EMIT dataChanged(index(row, 0), index(row, 0));
}

void SampleRecords::resetWith(const QVector<Row>& rows)
{
    beginResetModel();
    m_rows = rows;
    endResetModel();
}

void SampleRecords::setStatus(const RecordStatus& status)
{
    m_status = status;
    Q_EMIT statusChanged();
}

void SampleRecords::setHeld(int count)
{
    m_held = count;
    Q_EMIT heldBackChanged(count);
}

} // namespace tekil::ui
