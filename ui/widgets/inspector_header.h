// The head of a record's inspector: state and age, amount and id, and the facts that name it at the right.
#pragma once

#include "ui/widgets/controls.h"
#include "ui/widgets/record_model.h"

#include <QWidget>

namespace tekil::ui {

struct InspectorHead {
    Shape shape = Shape::Processing;
    QString age; // "for 14 min 44 s", "as of 14:20:46" where it is not current
    Amount amount;
    QString id;
    QString title;    // "Invoice 45982"
    QString subtitle; // "sale · shop · account 101"
};

class InspectorHeader : public QWidget {
    Q_OBJECT
public:
    explicit InspectorHeader(QWidget* parent = nullptr);
    void setHead(const InspectorHead& head);
    void setAge(const QString& age);
    void setInOwnWindow(bool own); // then there is nothing to open or close here

Q_SIGNALS:
    void copyIdRequested(const QString& id); // already on the clipboard
    void copyRequested();
    void openRequested();
    void closeRequested();

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void retranslate();
    void showAmount();

    InspectorHead m_head;
    Label *m_age, *m_amount, *m_currency, *m_id, *m_title, *m_subtitle;
    IconButton *m_copyId, *m_copy, *m_open, *m_close;
};

} // namespace tekil::ui
