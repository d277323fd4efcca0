// As large as what it lies over, and above its other children.
#include "ui/widgets/hatch.h"

#include "ui/widgets/theme.h"

#include <QEvent>
#include <QPainter>

namespace tekil::ui {

Hatch::Hatch(QWidget* over) : QWidget(over)
{
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setFocusPolicy(Qt::NoFocus);
    over->installEventFilter(this);
    hide();
}

bool Hatch::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Resize || event->type() == QEvent::ChildAdded)
        setGeometry(parentWidget()->rect());
    return QWidget::eventFilter(watched, event);
}

void Hatch::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    drawHatch(painter, rect(), tokensFor(this));
}

} // namespace tekil::ui
