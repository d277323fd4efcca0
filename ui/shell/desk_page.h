// What a room of the console brings into the window: a page, an inspector beside it, and what can be found in it.
#pragma once

#include "ui/widgets/icons.h"
#include "ui/widgets/record_model.h"

#include <QWidget>

#include <functional>

namespace tekil::ui {

// A record that the find field shows; its words are made by the page.
struct FindHit {
    QString id; // for DeskPage::open
    Shape shape = Shape::Processing;
    QString title;  // "Invoice 45982"
    QString amount; // "1,000.00 TRY"
    QString detail; // "shop · key shop-45982 · 14:07:09"
    QString by;     // what matched: "operation", "invoice", "key"
};

struct FindAnswer {
    QVector<FindHit> hits;
    QString problem; // why nothing could be looked up; empty where the answer stands
};

class DeskPage : public QWidget {
    Q_OBJECT
public:
    using QWidget::QWidget;

    virtual QString id() const = 0;
    virtual QString word() const = 0; // in the rail
    virtual Icon icon() const = 0;

    virtual QWidget* inspector() { return nullptr; } // the window owns it; null: the page has the whole width
    virtual QStringList statusParts() const = 0; // "26 of ~2,418 payments", "1 selected: 1,000.00 TRY"
    virtual void focusContent() = 0;
    virtual void refreshNow() = 0;
    virtual void focusFilter() {}
    virtual void showColumns() {}
    virtual void showFiltered(const QString& /*filter*/) {} // as if it were typed in
    virtual void tick() {} // once a second: ages go on

    // Only of a page that finds(). `then` comes on the GUI thread, once, unless a later find() replaced it.
    virtual bool finds() const { return false; }
    virtual void find(const QString& /*text*/, std::function<void(const FindAnswer&)> /*then*/) {}
    virtual void open(const QString& /*recordId*/) {}

Q_SIGNALS:
    void statusChanged();
    void inspectorWanted(bool shown); // a record was opened, or its inspector closed
    void listWanted(const QString& pageId, const QString& filter); // another page's list, narrowed
};

} // namespace tekil::ui
