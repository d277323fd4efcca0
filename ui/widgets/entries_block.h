// Both legs of each entry and their sum, which is zero in every currency.
#pragma once

#include "ui/widgets/record_model.h"

#include <QVector>
#include <QWidget>

namespace tekil::ui {

struct EntryLine {
    QString account; // "101"
    QString name;    // "C-20418"
    Amount amount;   // negative: debit
};

class EntriesBlock : public QWidget {
    Q_OBJECT
public:
    explicit EntriesBlock(QWidget* parent = nullptr);
    // `note` says what the entries are where they are not written: "none written; if charged:".
    void setEntries(const QVector<EntryLine>& lines, const QString& note = {});
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {px(200), sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QVector<Amount> sums() const; // one a currency; without those that int64 cannot hold

    QVector<EntryLine> m_lines;
    QString m_note;
};

} // namespace tekil::ui
