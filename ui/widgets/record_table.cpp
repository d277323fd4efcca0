// Two views over one model and one selection, held together: widths, scroll, hover, and the reader's place in the rows.
#include "ui/widgets/record_table.h"

#include "ui/widgets/controls.h"
#include "ui/widgets/format.h"
#include "ui/widgets/message_band.h"
#include "ui/widgets/record_view.h"
#include "ui/widgets/table_notice.h"

#include <QClipboard>
#include <QCryptographicHash>
#include <QEvent>
#include <QGuiApplication>
#include <QMenu>
#include <QScrollBar>
#include <QSettings>
#include <QVBoxLayout>

#include <algorithm>

namespace tekil::ui {

using namespace Qt::Literals::StringLiterals;

namespace {

constexpr int kHeadMargin = 20; // rows from the top at which earlier ones are asked for
constexpr int kSaveDelayMs = 400;

int rowHeightOf(Density density)
{
    switch (density) {
    case Density::Compact: return px(24);
    case Density::Normal: return px(28);
    case Density::Wide: return px(32);
    }
    return px(28);
}

RecordHeader* headOf(const RecordView* view)
{
    return static_cast<RecordHeader*>(view->horizontalHeader());
}

} // namespace

RecordTable::RecordTable(const QString& accessibleName, QWidget* parent)
    : QWidget(parent), m_marks(new ChangeMarks(this)), m_failure(new MessageBand(MessageBand::Kind::Failed, this)),
      m_retry(m_failure->addButton(tr("Try again"))), m_main(new RecordView(this)), m_frozen(new RecordView(m_main)),
      m_notice(new TableNotice(this)), m_newRows(new Button({}, this))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_failure);
    column->addWidget(m_main, 1);
    m_failure->hide();
    m_notice->hide();
    m_newRows->hide();
    m_newRows->setFocusPolicy(Qt::TabFocus);
    m_main->setAccessibleName(accessibleName);
    setFocusProxy(m_main);
    makeViews();
    m_save.setSingleShot(true);
    m_save.setInterval(kSaveDelayMs);
    connect(&m_save, &QTimer::timeout, this, &RecordTable::saveState);
    connect(m_newRows, &Button::clicked, this, &RecordTable::showHeldBack);
    connect(m_marks, &ChangeMarks::changed, this, [this] {
        m_main->viewport()->update();
        m_frozen->viewport()->update();
    });
}

RecordTable::~RecordTable()
{
    if (m_save.isActive())
        saveState();
}

void RecordTable::makeViews()
{
    m_main->setPartner(m_frozen);
    m_frozen->setPartner(m_main);
    m_frozen->setProperty(kFrozen, true);
    headOf(m_frozen)->setProperty(kFrozen, true);
    headOf(m_frozen)->setSectionsMovable(false);
    headOf(m_frozen)->setStretchLastSection(false);
    m_frozen->setFocusProxy(m_main);
    m_frozen->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_frozen->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* delegate = new RecordDelegate(m_marks, this);
    for (RecordView* view : {m_main, m_frozen}) {
        view->setItemDelegate(delegate);
        connect(view, &RecordView::hovered, this, &RecordTable::onHover);
        connect(view, &RecordView::activatedRow, this, [this](int row) { Q_EMIT activated(m_model->recordId(row)); });
        connect(view, &RecordView::copyRequested, this, &RecordTable::copySelection);
        connect(headOf(view), &QHeaderView::sectionClicked, this, &RecordTable::onHeaderClicked);
        headOf(view)->setContextMenuPolicy(Qt::CustomContextMenu);
        connect(headOf(view), &QWidget::customContextMenuRequested, this,
                [this, view](const QPoint& at) { columnMenu()->popup(headOf(view)->mapToGlobal(at)); });
    }
    connect(m_main->verticalScrollBar(), &QScrollBar::valueChanged, m_frozen->verticalScrollBar(),
            &QScrollBar::setValue);
    connect(m_frozen->verticalScrollBar(), &QScrollBar::valueChanged, m_main->verticalScrollBar(),
            &QScrollBar::setValue);
    connect(m_main->verticalScrollBar(), &QScrollBar::valueChanged, this, &RecordTable::onScrolled);
    m_main->installEventFilter(this);
    m_main->viewport()->installEventFilter(this);
    setDensity(m_density);
}

void RecordTable::setModel(RecordModel* model)
{
    m_model = model;
    connectBeforeViews();
    m_main->setModel(model);
    m_frozen->setModel(model);
    m_frozen->setSelectionModel(m_main->selectionModel());
    connectModel();
    connectHeaders();
    applyColumns();
    showStatus();
}

// What must be noted before the views and the selection model forget it: slots run in the order of their connections.
void RecordTable::connectBeforeViews()
{
    using Model = QAbstractItemModel;
    connect(m_model, &Model::rowsAboutToBeInserted, this, [this] { keepPlace(); });
    connect(m_model, &Model::rowsAboutToBeRemoved, this, [this](const QModelIndex&, int first, int last) {
        keepPlace();
        rememberRemoved(first, last);
    });
    connect(m_model, &Model::rowsAboutToBeMoved, this, [this] { keepPlace(); });
    connect(m_model, &Model::modelAboutToBeReset, this, &RecordTable::captureIds);
}

void RecordTable::connectModel()
{
    using Model = QAbstractItemModel;
    connect(m_model, &Model::rowsInserted, this, [this](const QModelIndex&, int first, int last) {
        restorePlace();
        reselect(first, last);
        showStatus();
    });
    connect(m_model, &Model::rowsRemoved, this, [this] {
        restorePlace();
        showStatus();
    });
    connect(m_model, &Model::rowsMoved, this, [this] { restorePlace(); });
    connect(m_model, &Model::modelReset, this, &RecordTable::restoreIds);
    connect(m_model, &Model::dataChanged, this,
            [this](const QModelIndex& from, const QModelIndex& to, const QVector<int>& roles) {
                if (!roles.isEmpty() && !roles.contains(RawRole))
                    return;
                for (int row = from.row(); row <= to.row(); ++row)
                    for (int column = from.column(); column <= to.column(); ++column)
                        m_marks->mark(m_model->recordId(row), column);
            });
    connect(m_model, &RecordModel::statusChanged, this, &RecordTable::showStatus);
    connect(m_model, &RecordModel::heldBackChanged, this, &RecordTable::showStatus);
    connect(m_retry, &Button::clicked, m_model, &RecordModel::reload);
    connect(m_notice, &TableNotice::actionRequested, this, [this] {
        if (m_model->status().kind == RecordStatus::Kind::Failed)
            m_model->reload();
        else
            Q_EMIT emptyActionRequested();
    });
    const auto repaint = [this] {
        m_main->viewport()->update();
        m_frozen->viewport()->update();
    };
    connect(m_main->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this, repaint](const QModelIndex& now) {
                repaint();
                // A row that left the window is still what the reader looks at.
                if (now.isValid()) {
                    // The reader chose another row: what went is not to come back into the selection.
                    if (currentId() != m_lostCurrent)
                        m_lost.clear();
                    m_lostCurrent.clear();
                }
                if (now.isValid() || m_lostCurrent.isEmpty())
                    Q_EMIT currentChanged(currentId());
            });
    connect(m_main->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this, repaint] {
        repaint();
        Q_EMIT selectionChanged(selectedIds());
    });
}

void RecordTable::connectHeaders()
{
    connect(headOf(m_main), &QHeaderView::sectionResized, this, [this](int column, int, int now) {
        if (m_laying || now == 0 || column == columnsInOrder().constLast())
            return; // the last one fills what is left
        m_widths.insert(m_model->columns().at(column).id, now);
        layoutFrozen();
        m_save.start();
    });
    connect(headOf(m_frozen), &QHeaderView::sectionResized, this, [this](int column, int, int now) {
        if (m_laying || now == 0)
            return;
        m_widths.insert(m_model->columns().at(column).id, now);
        applyColumns();
        m_save.start();
    });
    connect(headOf(m_main), &QHeaderView::sectionMoved, this, [this](int logical, int, int to) {
        const int frozen = static_cast<int>(std::count_if(m_model->columns().begin(), m_model->columns().end(),
                                                          [](const Column& column) { return column.frozen; }));
        if (!m_model->columns().at(logical).frozen && to < frozen)
            headOf(m_main)->moveSection(to, frozen);
        m_save.start();
    });
}

void RecordTable::setStateKey(const QString& page)
{
    m_stateKey = page;
    restoreState();
}

QString RecordTable::settingsKey() const
{
    QStringList ids;
    for (const Column& column : m_model->columns())
        ids << column.id;
    const QByteArray digest = QCryptographicHash::hash(ids.join(u'\n').toUtf8(), QCryptographicHash::Sha256);
    return u"tables/%1/%2"_s.arg(m_stateKey, QString::fromLatin1(digest.toHex().left(12)));
}

void RecordTable::saveState()
{
    if (m_stateKey.isEmpty())
        return;
    QStringList entries;
    for (int visual = 0; visual < m_model->columns().size(); ++visual) {
        const int column = headOf(m_main)->logicalIndex(visual);
        const QString& id = m_model->columns().at(column).id;
        entries << u"%1:%2:%3"_s.arg(id).arg(widthOf(column)).arg(m_hidden.contains(id) ? 1 : 0);
    }
    QSettings().setValue(settingsKey(), entries);
}

void RecordTable::restoreState()
{
    const QStringList entries = QSettings().value(settingsKey()).toStringList();
    int visual = 0;
    for (const QString& entry : entries) {
        const QStringList parts = entry.split(u':');
        const int column = parts.size() == 3 ? m_model->columnOf(parts.at(0)) : -1;
        if (column < 0)
            continue;
        headOf(m_main)->moveSection(headOf(m_main)->visualIndex(column), visual++);
        const int width = parts.at(1).toInt();
        if (width > 0)
            m_widths.insert(parts.at(0), width);
        if (parts.at(2) == u"1")
            m_hidden.insert(parts.at(0));
    }
    applyColumns();
    m_save.stop();
}

void RecordTable::resetColumns()
{
    m_hidden.clear();
    m_widths.clear();
    for (int column = 0; column < m_model->columns().size(); ++column)
        headOf(m_main)->moveSection(headOf(m_main)->visualIndex(column), column);
    applyColumns();
    m_save.start();
}

void RecordTable::setDensity(Density density)
{
    m_density = density;
    for (RecordView* view : {m_main, m_frozen}) {
        view->verticalHeader()->setDefaultSectionSize(rowHeightOf(density));
        view->verticalScrollBar()->setSingleStep(rowHeightOf(density));
    }
}

void RecordTable::setEmptyText(const EmptyText& text)
{
    m_empty = text;
    showStatus();
}

void RecordTable::setSort(const QString& columnId, Qt::SortOrder order)
{
    for (RecordView* view : {m_main, m_frozen})
        headOf(view)->setSort(columnId, order);
}

QString RecordTable::sortColumn() const
{
    return headOf(m_main)->sortColumn();
}

Qt::SortOrder RecordTable::sortOrder() const
{
    return headOf(m_main)->sortOrder();
}

void RecordTable::onHeaderClicked(int column)
{
    const Column& about = m_model->columns().at(column);
    if (!about.sortable)
        return;
    const bool same = about.id == sortColumn();
    const auto order = same && sortOrder() == Qt::DescendingOrder ? Qt::AscendingOrder : Qt::DescendingOrder;
    setSort(about.id, order);
    Q_EMIT sortRequested(about.id, order);
}

QStringList RecordTable::selectedIds() const
{
    if (!m_model)
        return {};
    QVector<int> rows;
    for (const QModelIndex& index : m_main->selectionModel()->selectedRows())
        rows << index.row();
    std::sort(rows.begin(), rows.end());
    QStringList ids;
    for (const int row : rows)
        ids << m_model->recordId(row);
    return ids;
}

QString RecordTable::currentId() const
{
    const QModelIndex index = m_main->currentIndex();
    return index.isValid() ? m_model->recordId(index.row()) : QString();
}

bool RecordTable::select(const QString& id)
{
    const int row = m_model->rowOf(id);
    if (row < 0)
        return false;
    const QModelIndex index = m_model->index(row, 0);
    m_main->selectionModel()->setCurrentIndex(index, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    m_main->scrollTo(index, QAbstractItemView::EnsureVisible);
    return true;
}

int RecordTable::widthOf(int column) const
{
    const Column& about = m_model->columns().at(column);
    return m_widths.value(about.id, px(about.width));
}

void RecordTable::applyColumns()
{
    if (!m_model || m_laying)
        return;
    m_laying = true;
    const auto& columns = m_model->columns();
    // A currency is part of the amount before it.
    for (int i = 1; i < columns.size(); ++i)
        if (columns.at(i).kind == ColumnKind::Currency)
            m_hidden.contains(columns.at(i - 1).id) ? void(m_hidden.insert(columns.at(i).id))
                                                    : void(m_hidden.remove(columns.at(i).id));
    m_dropped.clear();
    int needed = 0;
    QVector<int> candidates;
    for (int i = 0; i < columns.size(); ++i) {
        if (m_hidden.contains(columns.at(i).id))
            continue;
        needed += widthOf(i);
        if (columns.at(i).dropOrder > 0)
            candidates << i;
    }
    std::sort(candidates.begin(), candidates.end(),
              [&](int a, int b) { return columns.at(a).dropOrder > columns.at(b).dropOrder; });
    for (const int column : candidates) {
        if (needed <= m_main->viewport()->width())
            break;
        m_dropped.insert(columns.at(column).id);
        needed -= widthOf(column);
    }
    for (int i = 0; i < columns.size(); ++i) {
        const bool hidden = m_hidden.contains(columns.at(i).id) || m_dropped.contains(columns.at(i).id);
        m_main->setColumnHidden(i, hidden);
        m_frozen->setColumnHidden(i, hidden || !columns.at(i).frozen);
        if (!hidden)
            m_main->setColumnWidth(i, widthOf(i));
        if (!hidden && columns.at(i).frozen)
            m_frozen->setColumnWidth(i, widthOf(i));
    }
    m_laying = false;
    layoutFrozen();
}

void RecordTable::layoutFrozen()
{
    if (!m_model)
        return;
    int width = 0;
    for (int i = 0; i < m_model->columns().size(); ++i)
        if (m_model->columns().at(i).frozen && !m_main->isColumnHidden(i)) {
            m_frozen->setColumnWidth(i, m_main->columnWidth(i));
            width += m_main->columnWidth(i);
        }
    const int head = m_main->horizontalHeader()->height();
    m_frozen->setVisible(width > 0);
    m_frozen->setGeometry(0, 0, width, head + m_main->viewport()->height());
    const QRect body(m_main->x(), m_main->y() + head, m_main->width(), m_main->height() - head);
    m_notice->setGeometry(body);
    m_notice->raise();
    const QSize chip = m_newRows->sizeHint();
    m_newRows->setGeometry(body.center().x() - chip.width() / 2, body.top() + px(8), chip.width(), chip.height());
    m_newRows->raise();
}

bool RecordTable::isColumnShown(const QString& columnId) const
{
    return !m_hidden.contains(columnId) && !m_dropped.contains(columnId);
}

void RecordTable::setColumnHidden(const QString& columnId, bool hidden)
{
    const int column = m_model->columnOf(columnId);
    if (column < 0 || (hidden && !m_model->columns().at(column).hideable))
        return;
    hidden ? void(m_hidden.insert(columnId)) : void(m_hidden.remove(columnId));
    applyColumns();
    m_save.start();
}

QVector<int> RecordTable::columnsInOrder() const
{
    QVector<int> columns;
    for (int visual = 0; visual < m_model->columns().size(); ++visual) {
        const int column = headOf(m_main)->logicalIndex(visual);
        if (isColumnShown(m_model->columns().at(column).id))
            columns << column;
    }
    return columns;
}

QStringList RecordTable::shownColumns() const
{
    QStringList ids;
    for (const int column : columnsInOrder())
        ids << m_model->columns().at(column).id;
    return ids;
}

QMenu* RecordTable::columnMenu()
{
    if (!m_columnMenu) {
        m_columnMenu = new QMenu(this);
        connect(m_columnMenu, &QMenu::aboutToShow, this, [this] { fillColumnMenu(m_columnMenu); });
        fillColumnMenu(m_columnMenu);
    }
    return m_columnMenu;
}

void RecordTable::fillColumnMenu(QMenu* menu)
{
    menu->clear();
    for (const Column& column : m_model->columns()) {
        if (column.kind == ColumnKind::Currency)
            continue;
        const bool dropped = m_dropped.contains(column.id);
        QAction* action = menu->addAction(dropped ? tr("%1 (no room)", "a column's name").arg(column.title)
                                                  : column.title);
        action->setCheckable(true);
        action->setChecked(!m_hidden.contains(column.id));
        action->setEnabled(column.hideable);
        connect(action, &QAction::toggled, this, [this, id = column.id](bool on) { setColumnHidden(id, !on); });
    }
    menu->addSeparator();
    connect(menu->addAction(tr("Reset columns")), &QAction::triggered, this, &RecordTable::resetColumns);
}

void RecordTable::copySelection(bool csvWithHeader)
{
    QVector<int> rows;
    for (const QString& id : selectedIds())
        rows << m_model->rowOf(id);
    if (rows.isEmpty())
        return;
    const QVector<int> columns = columnsInOrder();
    QGuiApplication::clipboard()->setText(csvWithHeader ? csvOf(*m_model, rows, columns)
                                                        : tsvOf(*m_model, rows, columns));
    Q_EMIT copied(static_cast<int>(rows.size()));
}

void RecordTable::onHover(int row)
{
    m_main->setHoverRow(row);
    m_frozen->setHoverRow(row);
}

void RecordTable::onScrolled()
{
    if (!m_model || m_keeping)
        return;
    const int value = m_main->verticalScrollBar()->value();
    m_model->setFollowing(value == 0);
    if (m_model->canFetchHead() && value < kHeadMargin * rowHeightOf(m_density))
        m_model->fetchHead();
}

void RecordTable::keepPlace()
{
    const QScrollBar* bar = m_main->verticalScrollBar();
    // At the top of all rows the newest is followed; at the top of a window whose head was dropped it is not.
    if (m_keeping || (bar->value() == 0 && m_model->atHead()))
        return;
    m_keeping = true;
    const int height = rowHeightOf(m_density);
    m_placeRow = bar->value() / height;
    m_placeOffset = bar->value() % height;
    m_place = m_model->index(m_placeRow, 0);
}

void RecordTable::restorePlace()
{
    if (!m_keeping)
        return;
    const int row = m_place.isValid() ? m_place.row() : std::min(m_placeRow, m_model->rowCount() - 1);
    m_main->settleGeometry();
    m_frozen->settleGeometry();
    m_main->verticalScrollBar()->setValue(row * rowHeightOf(m_density) + m_placeOffset);
    m_keeping = false;
    m_place = QPersistentModelIndex();
}

void RecordTable::rememberRemoved(int first, int last)
{
    for (const QModelIndex& index : m_main->selectionModel()->selectedRows())
        if (index.row() >= first && index.row() <= last)
            m_lost.insert(m_model->recordId(index.row()));
    const int current = m_main->currentIndex().row();
    if (current >= first && current <= last) {
        m_lostCurrent = currentId();
        m_main->selectionModel()->clearCurrentIndex();
    }
}

void RecordTable::reselect(int first, int last)
{
    if (m_lost.isEmpty() && m_lostCurrent.isEmpty())
        return;
    for (int row = first; row <= last; ++row) {
        const QString id = m_model->recordId(row);
        const QModelIndex index = m_model->index(row, 0);
        if (m_lost.remove(id))
            m_main->selectionModel()->select(index, QItemSelectionModel::Select | QItemSelectionModel::Rows);
        if (id == m_lostCurrent)
            m_main->selectionModel()->setCurrentIndex(index, QItemSelectionModel::NoUpdate);
    }
}

void RecordTable::captureIds()
{
    const QStringList ids = selectedIds();
    m_lost = QSet<QString>(ids.begin(), ids.end());
    m_lostCurrent = currentId();
    m_placeRow = m_main->verticalScrollBar()->value();
}

void RecordTable::restoreIds()
{
    reselect(0, m_model->rowCount() - 1);
    applyColumns();
    m_main->settleGeometry();
    m_main->verticalScrollBar()->setValue(m_placeRow);
    showStatus();
}

void RecordTable::showStatus()
{
    if (!m_model)
        return;
    const RecordStatus status = m_model->status();
    const bool failed = status.kind == RecordStatus::Kind::Failed;
    const bool empty = m_model->rowCount() == 0;
    const QString detail = status.code.isEmpty() ? status.whatToDo : status.whatToDo + u"  "_s + status.code;
    m_failure->setText(status.what, detail);
    m_failure->setVisible(failed && !empty);
    if (!empty)
        m_notice->hide();
    else if (failed)
        m_notice->show(Shape::Failed, status.what, detail, tr("Try again"));
    else if (status.kind == RecordStatus::Kind::Loading)
        m_notice->show(std::nullopt, tr("Reading…"), {}, {});
    else
        m_notice->show(std::nullopt, m_empty.what, m_empty.wayOut, m_empty.action);
    const int held = m_model->heldBack();
    m_newRows->setText(tr("%n new, show", "rows that arrived above", held));
    m_newRows->setVisible(held > 0);
    layoutFrozen();
}

void RecordTable::showHeldBack()
{
    m_main->verticalScrollBar()->setValue(0);
    m_model->showHeldBack();
    m_main->setFocus();
}

void RecordTable::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    applyColumns();
}

void RecordTable::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::ApplicationFontChange) {
        m_widths.clear();
        setDensity(m_density);
        applyColumns();
    }
    if (event->type() == QEvent::LanguageChange) {
        m_retry->setText(tr("Try again"));
        showStatus();
        m_main->viewport()->update();
        m_frozen->viewport()->update();
    }
}

bool RecordTable::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Resize)
        watched == m_main->viewport() ? applyColumns() : layoutFrozen();
    return QWidget::eventFilter(watched, event);
}

} // namespace tekil::ui
