// One of the two views of a RecordTable: paints rows, hatch and focus ring. The frozen one lies over the main one.
#pragma once

#include "ui/widgets/record_model.h"

#include <QHash>
#include <QHeaderView>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QTimer>

namespace tekil::ui {

// Set on the view, and its head, that holds the frozen columns.
inline constexpr char kFrozen[] = "tekilFrozen";

// Cells that changed under the reader, until their two seconds are over; shared by both views.
class ChangeMarks : public QObject {
    Q_OBJECT
public:
    explicit ChangeMarks(QObject* parent);
    void mark(const QString& recordId, int column);
    bool isMarked(const QString& recordId, int column) const;
    void clear();

Q_SIGNALS:
    void changed();

private:
    QHash<QString, qint64> m_until; // "record/column" and the end of its mark
    QTimer m_timer;
};

class RecordDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    RecordDelegate(ChangeMarks* marks, QObject* parent);
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    void paintState(QPainter& painter, const QRect& cell, int baseline, const QModelIndex& index,
                    const Tokens& t) const;
    void paintText(QPainter& painter, const QRect& cell, int baseline, const QModelIndex& index, const Column& column,
                   const Tokens& t) const;

    ChangeMarks* m_marks;
};

class RecordHeader : public QHeaderView {
    Q_OBJECT
public:
    explicit RecordHeader(QWidget* parent);
    void setSort(const QString& columnId, Qt::SortOrder order);
    QString sortColumn() const { return m_sortColumn; }
    Qt::SortOrder sortOrder() const { return m_sortOrder; }
    QSize sizeHint() const override;

protected:
    void paintSection(QPainter* painter, const QRect& rect, int logicalIndex) const override;

private:
    QString m_sortColumn;
    Qt::SortOrder m_sortOrder = Qt::DescendingOrder;
};

// Continues the head over the scroll bar.
class HeadCorner : public QWidget {
    Q_OBJECT
public:
    explicit HeadCorner(QWidget* parent) : QWidget(parent) {}
    QSize sizeHint() const override { return {px(9), px(28)}; }
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;
};

class RecordView : public QTableView {
    Q_OBJECT
public:
    explicit RecordView(QWidget* parent);
    void setPartner(RecordView* partner) { m_partner = partner; }
    void setHoverRow(int row);
    int hoverRow() const { return m_hoverRow; }
    void settleGeometry() { updateGeometries(); }
    void scrollTo(const QModelIndex& index, ScrollHint hint) override;

Q_SIGNALS:
    void hovered(int row);
    void activatedRow(int row);
    void copyRequested(bool withHeader);
    void scrolledByKey();

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void goToRow(int row, Qt::KeyboardModifiers modifiers);
    QRect rowRect(int row) const;

    RecordView* m_partner = nullptr;
    int m_hoverRow = -1;
};

// The first and last cell of a row stand 16 px from the edge, the others 8.
int leftPadding(const QHeaderView& header, int logicalIndex);

} // namespace tekil::ui
