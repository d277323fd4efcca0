// The grid of facts.
#include "ui/widgets/facts_list.h"

#include "ui/widgets/controls.h"

#include <QGridLayout>
#include <QLayoutItem>

namespace tekil::ui {

FactsList::FactsList(QWidget* parent) : QWidget(parent), m_grid(new QGridLayout(this))
{
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setHorizontalSpacing(px(12));
    m_grid->setVerticalSpacing(0);
    m_grid->setColumnStretch(1, 1);
}

void FactsList::setFacts(const QVector<Fact>& facts)
{
    while (QLayoutItem* item = m_grid->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    for (int row = 0; row < facts.size(); ++row) {
        const Fact& fact = facts.at(row);
        auto* label = new Label(fact.label, Face::Second, QFont::Normal, Ink::Third);
        auto* value = new Label(fact.value, fact.mono ? Face::Mono : Face::Second,
                                fact.strong ? QFont::DemiBold : QFont::Normal);
        value->setElided(true);
        value->setSelectable();
        value->setToolTip(fact.value);
        value->setAccessibleName(tr("%1: %2").arg(fact.label, fact.value));
        label->setBuddy(value);
        for (Label* cell : {label, value})
            cell->setFixedHeight(px(20));
        m_grid->addWidget(label, row, 0);
        m_grid->addWidget(value, row, 1);
    }
}

} // namespace tekil::ui
