// The one table of the console: frozen columns, chooser, copies, live head, and what stands there when rows do not.
#pragma once

#include "ui/widgets/record_model.h"

#include <QPersistentModelIndex>
#include <QPointer>
#include <QSet>
#include <QStringList>
#include <QTimer>
#include <QWidget>

class QMenu;
class QVBoxLayout;

namespace tekil::ui {

class Button;
class ChangeMarks;
class MessageBand;
class RecordHeader;
class RecordView;
class TableNotice;

enum class Density : std::uint8_t { Compact, Normal, Wide };

// Three kinds of empty, three texts: nothing has ever been there, nothing matches, all is done.
struct EmptyText {
    enum class Kind : std::uint8_t { NothingYet, NothingMatches, AllDone };
    Kind kind = Kind::NothingYet;
    QString what;   // "No payment matches state:unknown amount>1000."
    QString wayOut; // "Clear the filter to see all." or when the last one was
    QString action; // the button's word, empty for none; emits emptyActionRequested
};

class RecordTable : public QWidget {
    Q_OBJECT
public:
    explicit RecordTable(const QString& accessibleName, QWidget* parent = nullptr);
    ~RecordTable() override;

    void setModel(RecordModel* model); // not owned; once
    RecordModel* model() const { return m_model; }

    // Order, widths and hidden columns are kept in QSettings under this name and a hash of the column ids.
    void setStateKey(const QString& page);
    void resetColumns();
    void setDensity(Density density);
    void setEmptyText(const EmptyText& text);
    void setSort(const QString& columnId, Qt::SortOrder order); // only shows it; the server sorts
    QString sortColumn() const;
    Qt::SortOrder sortOrder() const;

    QStringList selectedIds() const; // in the order of the rows
    QString currentId() const;       // empty when there is none
    bool select(const QString& id);  // false when it is not in the window
    bool isColumnShown(const QString& columnId) const;
    void setColumnHidden(const QString& columnId, bool hidden);
    QStringList shownColumns() const; // ids in the order on screen
    QMenu* columnMenu();              // filled anew whenever it opens

    void copySelection(bool csvWithHeader);

    RecordView* mainView() const { return m_main; }
    RecordView* frozenView() const { return m_frozen; }

Q_SIGNALS:
    void sortRequested(const QString& columnId, Qt::SortOrder order);
    void activated(const QString& recordId); // Enter or double click
    void currentChanged(const QString& recordId);
    void selectionChanged(const QStringList& ids);
    void copied(int rows);
    void emptyActionRequested();

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void makeViews();
    void connectBeforeViews();
    void connectModel();
    void connectHeaders();
    void layoutFrozen();
    void applyColumns();
    void fillColumnMenu(QMenu* menu);
    void restoreState();
    void saveState();
    QString settingsKey() const;
    int widthOf(int column) const;
    QVector<int> columnsInOrder() const;
    void onHeaderClicked(int column);
    void onHover(int row);
    void onScrolled();
    void keepPlace();
    void restorePlace();
    void rememberRemoved(int first, int last);
    void reselect(int first, int last);
    void captureIds();
    void restoreIds();
    void showStatus();
    void showHeldBack();

    RecordModel* m_model = nullptr;
    ChangeMarks* m_marks;
    MessageBand* m_failure;
    Button* m_retry;
    RecordView* m_main;
    RecordView* m_frozen;
    TableNotice* m_notice;
    Button* m_newRows;
    QMenu* m_columnMenu = nullptr;
    QString m_stateKey;
    EmptyText m_empty;
    Density m_density = Density::Normal;
    QSet<QString> m_hidden;  // by the reader
    QSet<QString> m_dropped; // for want of room
    QHash<QString, int> m_widths;
    QSet<QString> m_lost; // selected rows that went and may come back
    QString m_lostCurrent;
    QPersistentModelIndex m_place;
    int m_placeRow = -1;
    int m_placeOffset = 0;
    bool m_keeping = false;
    bool m_laying = false;
    QTimer m_save;
};

} // namespace tekil::ui
