// Tabs on one hairline; the chosen one is bold over a line of 2 px.
#include "ui/widgets/count_tabs.h"

#include "ui/widgets/format.h"
#include "ui/widgets/theme.h"

#include <QFontMetrics>
#include <QPainter>

namespace tekil::ui {

namespace {

// The first word stands on the page's margin.
int leftOf(int tab)
{
    return tab == 0 ? px(16) : px(10);
}

int countWidth(int count)
{
    return count < 0 ? 0 : QFontMetrics(faceFont(Face::Second)).horizontalAdvance(formatter().count(count)) + px(6);
}

} // namespace

CountTabs::CountTabs(QWidget* parent) : QTabBar(parent)
{
    setDrawBase(false);
    setExpanding(false);
    setUsesScrollButtons(false);
    setElideMode(Qt::ElideRight);
    setAttribute(Qt::WA_Hover);
}

int CountTabs::add(const QString& word, int count)
{
    const int tab = addTab(word);
    setCount(tab, count);
    return tab;
}

void CountTabs::setCount(int tab, int count)
{
    setTabData(tab, count);
    setTabText(tab, tabText(tab)); // lays the tabs out anew: a count takes room
    setTabToolTip(tab, count < 0 ? tabText(tab) : tr("%1, %n", "a tab's word and how many", count).arg(tabText(tab)));
    update();
}

int CountTabs::count(int tab) const
{
    return tabData(tab).isValid() ? tabData(tab).toInt() : -1;
}

QSize CountTabs::tabSizeHint(int tab) const
{
    // Measured in the chosen weight, so that choosing one moves no other.
    const int text = QFontMetrics(faceFont(Face::Body, QFont::DemiBold)).horizontalAdvance(tabText(tab));
    return {text + countWidth(count(tab)) + leftOf(tab) + px(10), px(34)};
}

QSize CountTabs::minimumTabSizeHint(int tab) const
{
    return tabSizeHint(tab);
}

void CountTabs::paintEvent(QPaintEvent*)
{
    const Tokens& t = tokensFor(this);
    QPainter painter(this);
    drawHairline(painter, rect(), Qt::BottomEdge, t.line);
    const QPoint mouse = mapFromGlobal(QCursor::pos());
    for (int tab = 0; tab < QTabBar::count(); ++tab) {
        const QRect cell = tabRect(tab);
        const bool chosen = tab == currentIndex();
        if (!chosen && underMouse() && cell.contains(mouse))
            painter.fillRect(cell.adjusted(0, 0, 0, -1), t.hover);
        const QFont font = faceFont(Face::Body, chosen ? QFont::DemiBold : QFont::Normal);
        const int baseline = baselineOf(cell);
        painter.setFont(font);
        painter.setPen(chosen ? t.ink : t.ink2);
        painter.drawText(QPoint(cell.left() + leftOf(tab), baseline), tabText(tab));
        if (count(tab) >= 0) {
            const int x = cell.left() + leftOf(tab) + QFontMetrics(font).horizontalAdvance(tabText(tab)) + px(6);
            painter.setFont(faceFont(Face::Second));
            painter.setPen(t.ink3);
            painter.drawText(QPoint(x, baseline), formatter().count(count(tab)));
        }
        if (chosen)
            painter.fillRect(
                QRect(cell.left() + leftOf(tab), cell.bottom() - px(2) + 1, cell.width() - leftOf(tab) - px(10), px(2)),
                t.ink);
        if (chosen && hasFocus())
            drawRing(painter, cell.adjusted(px(2), px(2), -px(2), -px(3)), px(2), px(4), t.focus);
    }
}

} // namespace tekil::ui
