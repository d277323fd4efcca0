// Whether the books balance: when that was checked, both sides by currency, or what does not hold.
#pragma once

#include "ui/overview/overview_words.h"

#include <QWidget>

namespace tekil::ui::overview {

class BooksLine : public QWidget {
    Q_OBJECT
public:
    explicit BooksLine(QWidget* parent = nullptr);
    void setReading(const Reading& reading, std::int64_t nowUs);
    BooksState state() const { return m_state; }
    QString headline() const { return m_headline; }
    QString detail() const { return m_detail; }
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void paintTotals(QPainter& painter, int left) const;
    int paintTotal(QPainter& painter, int left, int end, const BooksTotal& total, bool first) const;

    BooksState m_state = BooksState::Never;
    QString m_headline, m_detail;
    QVector<BooksTotal> m_totals;
    bool m_isRead = false;
};

} // namespace tekil::ui::overview
