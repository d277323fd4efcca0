// The find field and what it found: one record opens at Enter, several are chosen from with the arrows.
#pragma once

#include "ui/shell/desk_page.h"

#include <QWidget>

namespace tekil::ui {

class Field;

// What was found, under the field. It never takes the focus.
class FindResults : public QWidget {
    Q_OBJECT
public:
    explicit FindResults(QWidget* parent);
    void setHits(const QVector<FindHit>& hits, const QString& notice);
    void step(int by);
    QString chosen() const;
    int count() const { return static_cast<int>(m_hits.size()); }
    QString notice() const { return m_notice; }
    QSize sizeHint() const override;

Q_SIGNALS:
    void picked(const QString& id);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;

private:
    void paintHit(QPainter& painter, const QRect& row, const FindHit& hit) const;
    int rowAt(const QPoint& point) const;

    QVector<FindHit> m_hits;
    QString m_notice;
    int m_at = 0;
};

class FindBox : public QWidget {
    Q_OBJECT
public:
    explicit FindBox(QWidget* parent = nullptr);
    void setPage(DeskPage* page) { m_page = page; }
    void focusFind();
    Field* field() const { return m_field; }
    FindResults* results() const { return m_results; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void look(const QString& text);
    void showAnswer(const QString& text, const FindAnswer& answer);
    void showResults();
    void pick(const QString& id);
    void retranslate();

    Field* m_field;
    FindResults* m_results;
    DeskPage* m_page = nullptr;
    QString m_looked;       // the text that the results belong to
    bool m_openFirst = false; // Enter was pressed before the answer came
};

} // namespace tekil::ui
