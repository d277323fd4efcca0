// How rows, heads and the current row's ring are painted, and how the keyboard moves through them.
#include "ui/widgets/record_view.h"

#include "ui/widgets/icons.h"

#include <QDateTime>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>

namespace tekil::ui {

using namespace Qt::Literals::StringLiterals;

namespace {

constexpr int kMarkMs = 2000;

QFont fontOf(const Column& column, bool attention)
{
    switch (column.kind) {
    case ColumnKind::Id: return faceFont(Face::Mono, attention ? QFont::Bold : QFont::Normal);
    case ColumnKind::Key: return faceFont(Face::Mono);
    case ColumnKind::Money: return faceFont(Face::Body, QFont::Medium);
    default: return faceFont(Face::Body);
    }
}

QColor inkOf(const Column& column, bool attention, const Tokens& t)
{
    switch (column.kind) {
    case ColumnKind::Currency: return t.ink3;
    case ColumnKind::Id: return attention ? t.ink : t.ink2;
    case ColumnKind::Key:
    case ColumnKind::Time: return t.ink2;
    default: return column.secondary ? t.ink2 : t.ink;
    }
}

} // namespace

ChangeMarks::ChangeMarks(QObject* parent) : QObject(parent)
{
    m_timer.setSingleShot(true);
    connect(&m_timer, &QTimer::timeout, this, [this] {
        const qint64 now = QDateTime::currentMSecsSinceEpoch();
        m_until.removeIf([now](const auto& entry) { return entry.value() <= now; });
        if (!m_until.isEmpty())
            m_timer.start(kMarkMs / 4);
        Q_EMIT changed();
    });
}

void ChangeMarks::mark(const QString& recordId, int column)
{
    m_until.insert(recordId + u'/' + QString::number(column), QDateTime::currentMSecsSinceEpoch() + kMarkMs);
    if (!m_timer.isActive())
        m_timer.start(kMarkMs);
}

bool ChangeMarks::isMarked(const QString& recordId, int column) const
{
    return !m_until.isEmpty() && m_until.contains(recordId + u'/' + QString::number(column));
}

void ChangeMarks::clear()
{
    m_until.clear();
}

int leftPadding(const QHeaderView& header, int logicalIndex)
{
    return header.visualIndex(logicalIndex) == 0 ? px(16) : px(8);
}

RecordDelegate::RecordDelegate(ChangeMarks* marks, QObject* parent) : QStyledItemDelegate(parent), m_marks(marks) {}

QSize RecordDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const
{
    return {px(96), px(28)};
}

void RecordDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const auto* view = qobject_cast<const RecordView*>(option.widget);
    const auto* model = qobject_cast<const RecordModel*>(index.model());
    if (!view || !model)
        return;
    const Tokens& t = tokensFor(view);
    const Column& column = model->columns().at(index.column());
    const bool selected = option.state.testFlag(QStyle::State_Selected);
    if (selected)
        painter->fillRect(option.rect, t.selection);
    else if (view->hoverRow() == index.row() || m_marks->isMarked(model->recordId(index.row()), index.column()))
        painter->fillRect(option.rect, t.hover);
    drawHairline(*painter, option.rect, Qt::BottomEdge, t.line);

    const int baseline = baselineOf(option.rect);
    const int left = column.kind == ColumnKind::Currency ? px(2)
                                                         : leftPadding(*view->horizontalHeader(), index.column());
    const QRect cell = option.rect.adjusted(left, 0, -px(8), 0);
    if (column.kind == ColumnKind::State || column.kind == ColumnKind::Reservation)
        paintState(*painter, cell, baseline, index, t);
    else
        paintText(*painter, cell, baseline, index, column, t);
}

void RecordDelegate::paintState(QPainter& painter, const QRect& cell, int baseline, const QModelIndex& index,
                                const Tokens& t) const
{
    const QVariant value = index.data(RawRole);
    if (!value.isValid()) {
        painter.setPen(t.ink3);
        painter.setFont(faceFont(Face::Body));
        painter.drawText(QPoint(cell.left(), baseline), index.data(Qt::DisplayRole).toString());
        return;
    }
    const auto shape = value.value<Shape>();
    const int size = px(14);
    const int top = cell.center().y() + 1 - size / 2;
    drawShape(painter, QRect(cell.left(), top, size, size), shape, Strength::List, t);
    const QFont font = faceFont(Face::Body, wordWeightOf(shape, Strength::List, t));
    const QFontMetrics metrics(font);
    const bool pending = index.data(PendingRole).toBool();
    const int from = cell.left() + size + px(8);
    const int room = cell.right() + px(6) - from - (pending ? size + px(4) : 0);
    const QString word = metrics.elidedText(index.data(Qt::DisplayRole).toString(), Qt::ElideRight, room);
    painter.setFont(font);
    painter.setPen(wordColorOf(shape, Strength::List, t));
    painter.drawText(QPoint(from, baseline), word);
    if (pending)
        drawShape(painter, QRect(from + metrics.horizontalAdvance(word) + px(6), top, size, size), Shape::Waiting,
                  Strength::Subject, t);
}

void RecordDelegate::paintText(QPainter& painter, const QRect& cell, int baseline, const QModelIndex& index,
                               const Column& column, const Tokens& t) const
{
    const bool attention = column.kind == ColumnKind::Id && index.data(AttentionRole).toBool();
    const QFont font = fontOf(column, attention);
    const QFontMetricsF metrics(font);
    const auto mode = column.kind == ColumnKind::Key ? Qt::ElideMiddle : Qt::ElideRight;
    QString text = index.data(Qt::DisplayRole).toString();
    // Digits of money and age must never be cut: half a number is another number.
    if (isRightAligned(column.kind) && metrics.horizontalAdvance(text) > cell.width() + 1)
        text = u"…"_s;
    else
        text = metrics.elidedText(text, mode, cell.width() + 1);
    painter.setFont(font);
    painter.setPen(index.data(RawRole).isValid() ? inkOf(column, attention, t) : t.ink3);
    const qreal x = isRightAligned(column.kind) ? cell.right() + 1 - metrics.horizontalAdvance(text) : cell.left();
    painter.drawText(QPointF(x, baseline), text);
}

RecordHeader::RecordHeader(QWidget* parent) : QHeaderView(Qt::Horizontal, parent)
{
    setSectionsClickable(true);
    setSectionsMovable(true);
    setHighlightSections(false);
    setStretchLastSection(true);
    setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    setMinimumSectionSize(px(32));
}

void RecordHeader::setSort(const QString& columnId, Qt::SortOrder order)
{
    m_sortColumn = columnId;
    m_sortOrder = order;
    viewport()->update();
}

QSize RecordHeader::sizeHint() const
{
    return {QHeaderView::sizeHint().width(), px(28)};
}

void RecordHeader::paintSection(QPainter* painter, const QRect& rect, int logicalIndex) const
{
    const auto* records = qobject_cast<const RecordModel*>(model());
    if (!records || logicalIndex >= records->columns().size())
        return;
    const Tokens& t = tokensFor(this);
    const Column& column = records->columns().at(logicalIndex);
    painter->fillRect(rect, t.sunken);
    drawHairline(*painter, rect, Qt::BottomEdge, t.lineStrong);
    if (property(kFrozen).toBool() && rect.right() + 1 >= viewport()->width())
        drawHairline(*painter, rect, Qt::RightEdge, t.lineStrong);
    // A currency stands beside its amount, and the amount's head names both.
    if (column.kind == ColumnKind::Currency)
        return;
    const bool sorted = column.id == m_sortColumn;
    const QFont font = faceFont(Face::Second, sorted ? QFont::DemiBold : QFont::Medium);
    const QFontMetricsF metrics(font);
    const QRect cell = rect.adjusted(leftPadding(*this, logicalIndex), 0, -px(8), 0);
    const int arrow = sorted ? px(18) : 0;
    const QString text = metrics.elidedText(column.title, Qt::ElideRight, cell.width() + 1 - arrow);
    const qreal advance = metrics.horizontalAdvance(text);
    const bool right = isRightAligned(column.kind);
    const qreal x = right ? cell.right() + 1 - advance : cell.left();
    painter->setFont(font);
    painter->setPen(sorted ? t.ink : t.ink2);
    painter->drawText(QPointF(x, baselineOf(rect)), text);
    if (sorted) {
        const qreal at = right ? x - px(18) : x + advance + px(4);
        drawIcon(*painter, QRectF(at, rect.center().y() - px(6), px(14), px(14)),
                 m_sortOrder == Qt::AscendingOrder ? Icon::ChevronUp : Icon::ChevronDown, t.ink);
    }
}

void HeadCorner::paintEvent(QPaintEvent*)
{
    const Tokens& t = tokensFor(this);
    QPainter painter(this);
    painter.fillRect(rect(), t.sunken);
    drawHairline(painter, rect(), Qt::BottomEdge, t.lineStrong);
}

RecordView::RecordView(QWidget* parent) : QTableView(parent)
{
    setHorizontalHeader(new RecordHeader(this));
    setFrameShape(QFrame::NoFrame);
    setShowGrid(false);
    setWordWrap(false);
    setCornerButtonEnabled(false);
    setSelectionBehavior(SelectRows);
    setSelectionMode(ExtendedSelection);
    setVerticalScrollMode(ScrollPerPixel);
    setHorizontalScrollMode(ScrollPerPixel);
    setEditTriggers(NoEditTriggers);
    setTabKeyNavigation(false);
    setMouseTracking(true);
    setAutoScroll(false); // a row that goes must not take the reader along to the next current one
    auto* corner = new HeadCorner(this);
    corner->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    addScrollBarWidget(corner, Qt::AlignTop);
    verticalHeader()->hide();
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    verticalHeader()->setMinimumSectionSize(px(20));
}

void RecordView::setHoverRow(int row)
{
    if (row == m_hoverRow)
        return;
    const int before = std::exchange(m_hoverRow, row);
    for (const int touched : {before, row})
        if (touched >= 0)
            viewport()->update(rowRect(touched));
}

QRect RecordView::rowRect(int row) const
{
    return {0, rowViewportPosition(row), viewport()->width(), rowHeight(row)};
}

void RecordView::scrollTo(const QModelIndex& index, ScrollHint hint)
{
    // Rows are chosen whole: what column is current must never move the page sideways.
    const int kept = horizontalScrollBar()->value();
    QTableView::scrollTo(index, hint);
    horizontalScrollBar()->setValue(kept);
}

void RecordView::paintEvent(QPaintEvent* event)
{
    QTableView::paintEvent(event);
    const Tokens& t = tokensFor(this);
    QPainter painter(viewport());
    if (!isCurrent(this) && model() && model()->rowCount() > 0) {
        const int below = rowViewportPosition(model()->rowCount() - 1) + rowHeight(model()->rowCount() - 1);
        QRect covered = viewport()->rect();
        covered.setBottom(std::min(covered.bottom(), below - 1));
        drawHatch(painter, covered, t);
    }
    const bool frozen = property(kFrozen).toBool();
    if (frozen)
        drawHairline(painter, viewport()->rect(), Qt::RightEdge, t.lineStrong);
    const bool first = !m_partner || m_partner->isHidden() || frozen;
    if (first && selectionModel())
        for (const QModelIndex& row : selectionModel()->selectedRows()) {
            const QRect at = rowRect(row.row());
            if (at.intersects(event->rect()))
                painter.fillRect(QRect(at.left(), at.top(), px(2), at.height()), t.ink);
        }
    const bool focused = hasFocus() || (m_partner && m_partner->hasFocus());
    if (focused && currentIndex().isValid()) {
        QRect ring = rowRect(currentIndex().row());
        // The two views share one ring: each paints its part, and neither closes it where they meet.
        if (m_partner && !m_partner->isHidden())
            frozen ? ring.setRight(ring.right() + px(8)) : ring.setLeft(ring.left() - px(8));
        drawRing(painter, ring, px(2), 0, t.focus);
    }
}

void RecordView::goToRow(int row, Qt::KeyboardModifiers modifiers)
{
    if (!model() || model()->rowCount() == 0)
        return;
    row = std::clamp(row, 0, model()->rowCount() - 1);
    int column = std::max(0, currentIndex().column());
    const QModelIndex target = model()->index(row, column);
    auto how = QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows;
    if (modifiers.testFlag(Qt::ShiftModifier) && currentIndex().isValid())
        how = QItemSelectionModel::Select | QItemSelectionModel::Rows;
    selectionModel()->setCurrentIndex(target, how);
    scrollTo(target, EnsureVisible);
}

void RecordView::keyPressEvent(QKeyEvent* event)
{
    const int row = currentIndex().row();
    const bool plain = (event->modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier)) == Qt::NoModifier;
    if (event->matches(QKeySequence::Copy))
        return Q_EMIT copyRequested(false);
    if (event->key() == Qt::Key_C && event->modifiers() == (Qt::ControlModifier | Qt::ShiftModifier))
        return Q_EMIT copyRequested(true);
    if (plain) {
        switch (event->key()) {
        case Qt::Key_J:
        case Qt::Key_Down: return goToRow(row + 1, event->modifiers());
        case Qt::Key_K:
        case Qt::Key_Up: return goToRow(row < 0 ? 0 : row - 1, event->modifiers());
        case Qt::Key_Home: return goToRow(0, event->modifiers());
        case Qt::Key_End: return goToRow(model() ? model()->rowCount() - 1 : 0, event->modifiers());
        case Qt::Key_Left: return horizontalScrollBar()->triggerAction(QAbstractSlider::SliderSingleStepSub);
        case Qt::Key_Right: return horizontalScrollBar()->triggerAction(QAbstractSlider::SliderSingleStepAdd);
        case Qt::Key_Return:
        case Qt::Key_Enter:
            if (row >= 0)
                Q_EMIT activatedRow(row);
            return;
        default: break;
        }
    }
    // A letter is a shortcut of the page, never a search in the loaded rows: that would lie about the rest.
    if (!event->text().isEmpty() && event->text().front().isPrint() && event->key() != Qt::Key_Space
        && !event->modifiers().testFlag(Qt::ControlModifier))
        return event->ignore();
    QTableView::keyPressEvent(event);
}

void RecordView::mouseMoveEvent(QMouseEvent* event)
{
    Q_EMIT hovered(rowAt(event->position().toPoint().y()));
    QTableView::mouseMoveEvent(event);
}

void RecordView::mouseDoubleClickEvent(QMouseEvent* event)
{
    const int row = rowAt(event->position().toPoint().y());
    if (row >= 0 && event->button() == Qt::LeftButton)
        Q_EMIT activatedRow(row);
}

void RecordView::leaveEvent(QEvent* event)
{
    Q_EMIT hovered(-1);
    QTableView::leaveEvent(event);
}

void RecordView::focusInEvent(QFocusEvent* event)
{
    // Qt would make the first row current by itself; what is current is what the reader chose.
    currentIndex().isValid() ? QTableView::focusInEvent(event) : QWidget::focusInEvent(event);
    viewport()->update();
    if (m_partner)
        m_partner->viewport()->update();
}

void RecordView::focusOutEvent(QFocusEvent* event)
{
    QTableView::focusOutEvent(event);
    viewport()->update();
    if (m_partner)
        m_partner->viewport()->update();
}

} // namespace tekil::ui
