// Labels and values in lines of 20 px; values can be selected and copied.
#pragma once

#include <QVector>
#include <QWidget>

class QGridLayout;

namespace tekil::ui {

struct Fact {
    QString label;
    QString value;
    bool strong = false; // the value in weight 500: the one that is read first
    bool mono = false;   // an id or a key
};

class FactsList : public QWidget {
    Q_OBJECT
public:
    explicit FactsList(QWidget* parent = nullptr);
    void setFacts(const QVector<Fact>& facts);

private:
    QGridLayout* m_grid;
};

} // namespace tekil::ui
