// What every record model says alike: words for cells, for screen readers and for copies.
#include "ui/widgets/record_model.h"

#include "core/base/clock.h"
#include "core/base/money.h"
#include "ui/widgets/format.h"

#include <QCoreApplication>
#include <QStringList>

namespace tekil::ui {

using namespace Qt::Literals::StringLiterals;

namespace {

constexpr int kIdTail = 8;

Shape shapeIn(const QVariant& raw)
{
    return raw.value<Shape>();
}

bool holdsWords(ColumnKind kind)
{
    return kind == ColumnKind::Text || kind == ColumnKind::Id || kind == ColumnKind::Key || kind == ColumnKind::Person;
}

QString harmless(const QString& text, ColumnKind kind)
{
    static const QString risky = u"=+-@\t\r"_s;
    return holdsWords(kind) && !text.isEmpty() && risky.contains(text.front()) ? u'\'' + text : text;
}

QString csvCell(QString text)
{
    const bool quote = text.contains(u',') || text.contains(u'"') || text.contains(u'\n') || text.contains(u'\r');
    return quote ? u'"' + text.replace(u'"', u"\"\""_s) + u'"' : text;
}

QString tsvCell(QString text)
{
    return text.replace(u'\t', u' ').replace(u'\n', u' ').replace(u'\r', u' ');
}

// The word that machines know a state by, whatever language the window speaks.
QString machineWord(Shape shape)
{
    for (const PaymentState state : kPaymentStates)
        if (shapeOf(state) == shape)
            return QString::fromUtf8(nameOf(state).data(), static_cast<qsizetype>(nameOf(state).size()));
    for (const ReservationState state :
         {ReservationState::Active, ReservationState::Finalized, ReservationState::Released})
        if (shapeOf(state) == shape)
            return QString::fromUtf8(nameOf(state).data(), static_cast<qsizetype>(nameOf(state).size()));
    return wordOf(shape);
}

} // namespace

bool isRightAligned(ColumnKind kind)
{
    return kind == ColumnKind::Money || kind == ColumnKind::Number || kind == ColumnKind::Age;
}

int RecordModel::rowOf(const QString& id) const
{
    for (int row = 0; row < rowCount(); ++row)
        if (recordId(row) == id)
            return row;
    return -1;
}

int RecordModel::columnOf(const QString& columnId) const
{
    for (int i = 0; i < columns().size(); ++i)
        if (columns().at(i).id == columnId)
            return i;
    return -1;
}

int RecordModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(columns().size());
}

void RecordModel::setNow(std::int64_t us)
{
    m_nowUs = us;
    if (rowCount() == 0)
        return;
    for (int i = 0; i < columns().size(); ++i)
        if (columns().at(i).kind == ColumnKind::Age)
            Q_EMIT dataChanged(index(0, i), index(rowCount() - 1, i), {Qt::DisplayRole});
}

QString RecordModel::display(int row, int column) const
{
    const QVariant value = raw(row, column);
    if (!value.isValid() || value.isNull())
        return u"–"_s;
    const Formatter& words = formatter();
    switch (columns().at(column).kind) {
    case ColumnKind::Text:
    case ColumnKind::Key:
    case ColumnKind::Currency:
    case ColumnKind::Person: return value.toString();
    case ColumnKind::Id: {
        const QString id = value.toString();
        return id.size() > kIdTail ? u'…' + id.right(kIdTail) : id;
    }
    case ColumnKind::Money: {
        const auto amount = value.value<Amount>();
        return words.amount(amount.minor, amount.exponent);
    }
    case ColumnKind::State:
    case ColumnKind::Reservation: return wordOf(shapeIn(value));
    case ColumnKind::Age: return words.age(m_nowUs - value.toLongLong());
    case ColumnKind::Time: return words.inList(value.toLongLong(), m_nowUs);
    case ColumnKind::Number: return words.count(value.toLongLong());
    }
    return {};
}

QString RecordModel::accessible(int row, int column) const
{
    const Column& about = columns().at(column);
    const QVariant value = raw(row, column);
    QString text = display(row, column);
    if (value.isValid() && about.kind == ColumnKind::Id)
        text = value.toString();
    if (value.isValid() && about.kind == ColumnKind::Money)
        text += u' ' + value.value<Amount>().currency;
    if (about.kind == ColumnKind::State && isPending(row))
        text += u", "_s + QCoreApplication::translate("tekil::ui::RecordModel", "a request is waiting");
    return QCoreApplication::translate("tekil::ui::RecordModel", "%1: %2", "column and its value, for a screen reader")
        .arg(about.title, text);
}

QVariant RecordModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    switch (role) {
    case Qt::DisplayRole: return display(index.row(), index.column());
    case Qt::AccessibleTextRole: return accessible(index.row(), index.column());
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(Qt::Alignment(
            (isRightAligned(columns().at(index.column()).kind) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter));
    case RawRole: return raw(index.row(), index.column());
    case RecordIdRole: return recordId(index.row());
    case PendingRole: return isPending(index.row());
    case AttentionRole:
        for (int i = 0; i < columns().size(); ++i)
            if (columns().at(i).kind == ColumnKind::State)
                return shapeIn(raw(index.row(), i)) == Shape::Unknown;
        return false;
    default: return {};
    }
}

QVariant RecordModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columns().size())
        return {};
    const Column& about = columns().at(section);
    if (role == Qt::DisplayRole)
        return about.title;
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(
            Qt::Alignment((isRightAligned(about.kind) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter));
    return {};
}

QString RecordModel::sheetText(int row, int column) const
{
    const QVariant value = raw(row, column);
    if (!value.isValid())
        return {};
    switch (columns().at(column).kind) {
    case ColumnKind::Id: return value.toString();
    case ColumnKind::Money: return formatter().sheetAmount(value.value<Amount>().minor, value.value<Amount>().exponent);
    case ColumnKind::Time:
    case ColumnKind::Age: return formatter().full(value.toLongLong());
    case ColumnKind::Number: return QString::number(value.toLongLong());
    default: return display(row, column);
    }
}

QString RecordModel::machineText(int row, int column) const
{
    const QVariant value = raw(row, column);
    if (!value.isValid())
        return {};
    switch (columns().at(column).kind) {
    case ColumnKind::Money:
        return QString::fromStdString(decimalFromMinor(value.value<Amount>().minor, value.value<Amount>().exponent));
    case ColumnKind::State:
    case ColumnKind::Reservation: return machineWord(shapeIn(value));
    case ColumnKind::Time:
    case ColumnKind::Age: return QString::fromStdString(rfc3339(value.toLongLong()));
    case ColumnKind::Number: return QString::number(value.toLongLong());
    default: return value.toString();
    }
}

QString tsvOf(const RecordModel& model, const QVector<int>& rows, const QVector<int>& columns)
{
    QStringList lines;
    for (const int row : rows) {
        QStringList cells;
        for (const int column : columns)
            cells << tsvCell(harmless(model.sheetText(row, column), model.columns().at(column).kind));
        lines << cells.join(u'\t');
    }
    return lines.join(u'\n');
}

QString csvOf(const RecordModel& model, const QVector<int>& rows, const QVector<int>& columns)
{
    QString text;
    QStringList heads;
    for (const int column : columns)
        heads << csvCell(model.columns().at(column).title);
    text += heads.join(u',') + u"\r\n"_s;
    for (const int row : rows) {
        QStringList cells;
        for (const int column : columns)
            cells << csvCell(harmless(model.machineText(row, column), model.columns().at(column).kind));
        text += cells.join(u',') + u"\r\n"_s;
    }
    return text;
}

} // namespace tekil::ui
