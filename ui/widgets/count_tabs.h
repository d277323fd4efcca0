// The tabs of an inspector: a word each, and after it how many there are.
#pragma once

#include <QTabBar>

namespace tekil::ui {

class CountTabs : public QTabBar {
    Q_OBJECT
public:
    explicit CountTabs(QWidget* parent = nullptr);
    int add(const QString& word, int count = -1); // -1: no count
    void setCount(int tab, int count);

protected:
    void paintEvent(QPaintEvent* event) override;
    QSize tabSizeHint(int tab) const override;
    QSize minimumTabSizeHint(int tab) const override;

private:
    int count(int tab) const;
};

} // namespace tekil::ui
