// Painted in one go; tiles are a ruled grid, not cards.
#include "ui/widgets/metric_tile.h"

#include <QKeyEvent>
#include <QPainter>

namespace tekil::ui {

MetricTile::MetricTile(QWidget* parent) : QAbstractButton(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_Hover);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void MetricTile::setFace(const TileFace& face)
{
    m_face = face;
    QStringList all{face.name, (face.value + QChar(u' ') + face.unit).trimmed()};
    for (const QString& more : {face.note, face.words, face.moreWords})
        if (!more.isEmpty())
            all << more;
    setAccessibleName(all.join(QStringView(u", ")));
    setToolTip(face.words);
    update();
}

QSize MetricTile::sizeHint() const
{
    return {px(160), px(116)};
}

void MetricTile::paintEvent(QPaintEvent*)
{
    const Tokens& t = tokensFor(this);
    QPainter painter(this);
    painter.fillRect(rect(), isDown() ? t.lineStrong : underMouse() ? t.hover : t.base);
    if (m_divider)
        drawHairline(painter, rect(), Qt::RightEdge, t.line);
    const QRect inner = rect().adjusted(px(16), px(8), -px(16), -px(10));
    int x = inner.left();
    if (m_face.shape) {
        const int size = px(16);
        drawShape(painter, QRect(x, inner.top() + px(2), size, size), *m_face.shape, Strength::Subject, t);
        x += size + px(6);
    }
    painter.setFont(faceFont(Face::Second, m_face.asks ? QFont::DemiBold : QFont::Normal));
    painter.setPen(m_face.asks ? t.ink : t.ink2);
    painter.drawText(QPoint(x, baselineOf(QRect(x, inner.top(), 1, px(20)))),
                     painter.fontMetrics().elidedText(m_face.name, Qt::ElideRight, inner.right() - x));

    const QFont big = faceFont(Face::Figure, QFont::DemiBold);
    const int baseline = inner.top() + px(44);
    const QFontMetrics bigMetrics(big), smallMetrics(faceFont(Face::Second));
    painter.setFont(big);
    painter.setPen(m_face.asks && m_face.shape ? hueOf(*m_face.shape, t) : t.ink);
    const QString value = bigMetrics.elidedText(m_face.value, Qt::ElideRight, inner.width());
    painter.drawText(QPoint(inner.left(), baseline), value);
    painter.setFont(faceFont(Face::Second));
    const int unitLeft = inner.left() + bigMetrics.horizontalAdvance(value) + px(5);
    painter.setPen(t.ink2);
    painter.drawText(QPoint(unitLeft, baseline), m_face.unit);
    const int noteLeft = inner.right() - smallMetrics.horizontalAdvance(m_face.note);
    // What has no room beside the value is not shown at all; the tile's accessible name has it.
    if (noteLeft > unitLeft + smallMetrics.horizontalAdvance(m_face.unit) + px(8))
        painter.drawText(QPoint(noteLeft, baseline), m_face.note);
    paintWords(painter, inner);
    if (hasFocus())
        drawRing(painter, rect(), px(2), px(4), t.focus);
}

void MetricTile::paintWords(QPainter& painter, const QRect& inner) const
{
    const Tokens& t = tokensFor(this);
    if (m_face.line)
        return drawSparkLine(painter, QRect(inner.left(), inner.top() + px(58), inner.width(), px(38)), *m_face.line,
                             t.ink, t);
    const QFontMetrics metrics(faceFont(Face::Second));
    painter.setFont(faceFont(Face::Second));
    painter.setPen(t.ink);
    const QRect first(inner.left(), inner.top() + px(56), inner.width(), px(20));
    painter.drawText(QPoint(first.left(), baselineOf(first)),
                     metrics.elidedText(m_face.words, Qt::ElideRight, inner.width()));
    painter.setPen(t.ink2);
    painter.drawText(QPoint(first.left(), baselineOf(first.translated(0, px(20)))),
                     metrics.elidedText(m_face.moreWords, Qt::ElideRight, inner.width()));
}

void MetricTile::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Right: focusNextChild(); return;
    case Qt::Key_Left: focusPreviousChild(); return;
    case Qt::Key_Return:
    case Qt::Key_Enter: click(); return;
    default: QAbstractButton::keyPressEvent(event);
    }
}

} // namespace tekil::ui
