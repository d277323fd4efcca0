// The shapes, drawn on a grid of 16 with round caps and joins.
#include "ui/widgets/state_shape.h"

#include <QCoreApplication>
#include <QPainter>
#include <QPainterPath>
#include <QPixmapCache>

namespace tekil::ui {

using namespace Qt::Literals::StringLiterals;

namespace {

constexpr qreal kPen = 1.5;

struct Pencil {
    QPainter& painter;
    QColor color;
    QColor paper; // what is cut out of a filled shape

    void outline(const QPainterPath& path, qreal width = kPen) const
    {
        painter.setPen(QPen(color, width, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter.setBrush(Qt::NoBrush);
        painter.drawPath(path);
    }
    void fill(const QPainterPath& path) const
    {
        painter.setPen(Qt::NoPen);
        painter.setBrush(color);
        painter.drawPath(path);
    }
    void cut(const QPainterPath& path, qreal width) const
    {
        painter.setPen(QPen(paper, width, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter.setBrush(Qt::NoBrush);
        painter.drawPath(path);
    }
};

QPainterPath line(std::initializer_list<QPointF> points)
{
    QPainterPath path;
    for (const QPointF& point : points)
        path.elementCount() == 0 ? path.moveTo(point) : path.lineTo(point);
    return path;
}

QPainterPath circle(qreal radius)
{
    QPainterPath path;
    path.addEllipse(QPointF(8, 8), radius, radius);
    return path;
}

QPainterPath triangle()
{
    QPainterPath path = line({{8, 2}, {14.6, 13.6}, {1.4, 13.6}});
    path.closeSubpath();
    return path;
}

void digit(const Pencil& pencil, const QColor& color, QChar number, qreal centreY)
{
    QFont font = faceFont(Face::Body, QFont::Bold);
    font.setPixelSize(9);
    pencil.painter.setFont(font);
    pencil.painter.setPen(color);
    pencil.painter.drawText(QRectF(0, centreY - 6, 16, 12), Qt::AlignCenter, QString(number));
}

void drawProcessing(const Pencil& pencil)
{
    pencil.outline(circle(6));
    QPainterPath half;
    half.moveTo(8, 2);
    half.arcTo(QRectF(2, 2, 12, 12), 90, -180);
    half.closeSubpath();
    pencil.fill(half);
}

void drawFailed(const Pencil& pencil)
{
    QPainterPath square;
    square.addRoundedRect(QRectF(2.5, 2.5, 11, 11), 1.5, 1.5);
    pencil.outline(square);
    QPainterPath cross = line({{5.8, 5.8}, {10.2, 10.2}});
    cross.addPath(line({{10.2, 5.8}, {5.8, 10.2}}));
    pencil.outline(cross);
}

void drawUnknown(const Pencil& pencil)
{
    QPainterPath diamond = line({{8, 0.6}, {15.4, 8}, {8, 15.4}, {0.6, 8}});
    diamond.closeSubpath();
    pencil.fill(diamond);
    pencil.outline(diamond, 0.8);
    QPainterPath mark;
    mark.moveTo(6.2, 6.4);
    mark.cubicTo(6.2, 4.1, 9.9, 4.1, 9.9, 6.4);
    mark.cubicTo(9.9, 7.8, 8, 7.8, 8, 9.4);
    pencil.cut(mark, 1.5);
    pencil.painter.setPen(Qt::NoPen);
    pencil.painter.setBrush(pencil.paper);
    pencil.painter.drawEllipse(QPointF(8, 11.6), 0.95, 0.95);
}

void drawLock(const Pencil& pencil)
{
    QPainterPath body;
    body.addRoundedRect(QRectF(3, 7, 10, 7), 1.2, 1.2);
    pencil.fill(body);
    QPainterPath shackle;
    shackle.moveTo(5.2, 7);
    shackle.lineTo(5.2, 5.2);
    shackle.arcTo(QRectF(5.2, 2.4, 5.6, 5.6), 180, -180);
    shackle.lineTo(10.8, 7);
    pencil.outline(shackle);
}

void drawReleased(const Pencil& pencil)
{
    QPainterPath arrow = line({{5.6, 2.8}, {2.6, 5.8}, {5.6, 8.8}});
    pencil.outline(arrow);
    QPainterPath way;
    way.moveTo(2.8, 5.8);
    way.lineTo(9.6, 5.8);
    way.arcTo(QRectF(6, 5.8, 7.2, 7.2), 90, -180);
    way.lineTo(5.4, 13);
    pencil.outline(way);
}

void drawWarning(const Pencil& pencil)
{
    pencil.outline(triangle());
    pencil.outline(line({{8, 6.4}, {8, 9.4}}));
    pencil.painter.setPen(Qt::NoPen);
    pencil.painter.setBrush(pencil.color);
    pencil.painter.drawEllipse(QPointF(8, 11.6), 0.9, 0.9);
}

void drawAlarm2(const Pencil& pencil)
{
    QPainterPath square;
    square.addRoundedRect(QRectF(1.8, 1.8, 12.4, 12.4), 1.8, 1.8);
    pencil.fill(square);
    digit(pencil, pencil.paper, u'2', 8);
}

void drawOn16(const Pencil& pencil, Shape shape)
{
    switch (shape) {
    case Shape::Processing: return drawProcessing(pencil);
    case Shape::Completed: pencil.outline(circle(6)); return pencil.outline(line({{5.2, 8.2}, {7.2, 10.2}, {10.9, 6}}));
    case Shape::Failed: return drawFailed(pencil);
    case Shape::Unknown: return drawUnknown(pencil);
    case Shape::Active: return drawLock(pencil);
    case Shape::Finalized: return pencil.outline(line({{3.2, 8.6}, {6.4, 11.8}, {12.8, 4.6}}), 1.8);
    case Shape::Released: return drawReleased(pencil);
    case Shape::Alarm1:
        pencil.fill(triangle());
        pencil.outline(triangle());
        return digit(pencil, pencil.paper, u'1', 9.6);
    case Shape::Alarm1Acknowledged: pencil.outline(triangle()); return digit(pencil, pencil.color, u'1', 9.6);
    case Shape::Alarm2: return drawAlarm2(pencil);
    case Shape::Alarm3: pencil.outline(circle(6.2)); return digit(pencil, pencil.color, u'3', 8);
    case Shape::Warning: return drawWarning(pencil);
    case Shape::Waiting:
    case Shape::NotCurrent: pencil.outline(circle(6)); return pencil.outline(line({{8, 4.8}, {8, 8.2}, {10.2, 9.6}}));
    }
}

QColor shapeColorOf(Shape shape, Strength strength, const Tokens& tokens)
{
    if (strength == Strength::Lit)
        return tokens.base;
    const bool settled = shape == Shape::Completed || shape == Shape::Finalized || shape == Shape::Released;
    if (strength == Strength::List && settled)
        return tokens.ink3;
    return hueOf(shape, tokens);
}

} // namespace

Shape shapeOf(PaymentState state)
{
    switch (state) {
    case PaymentState::Processing: return Shape::Processing;
    case PaymentState::Completed: return Shape::Completed;
    case PaymentState::Failed: return Shape::Failed;
    case PaymentState::Unknown: return Shape::Unknown;
    }
    return Shape::Unknown;
}

Shape shapeOf(ReservationState state)
{
    switch (state) {
    case ReservationState::Active: return Shape::Active;
    case ReservationState::Finalized: return Shape::Finalized;
    case ReservationState::Released: return Shape::Released;
    }
    return Shape::Active;
}

QString wordOf(Shape shape)
{
    const auto word = [](const char* text) { return QCoreApplication::translate("tekil::ui::Shape", text); };
    switch (shape) {
    case Shape::Processing: return word(QT_TRANSLATE_NOOP("tekil::ui::Shape", "Processing"));
    case Shape::Completed: return word(QT_TRANSLATE_NOOP("tekil::ui::Shape", "Completed"));
    case Shape::Failed: return word(QT_TRANSLATE_NOOP("tekil::ui::Shape", "Failed"));
    case Shape::Unknown: return word(QT_TRANSLATE_NOOP("tekil::ui::Shape", "Unknown"));
    case Shape::Active: return word(QT_TRANSLATE_NOOP("tekil::ui::Shape", "Active"));
    case Shape::Finalized: return word(QT_TRANSLATE_NOOP("tekil::ui::Shape", "Finalized"));
    case Shape::Released: return word(QT_TRANSLATE_NOOP("tekil::ui::Shape", "Released"));
    case Shape::Alarm1: return word(QT_TRANSLATE_NOOP("tekil::ui::Shape", "Alarm 1"));
    case Shape::Alarm1Acknowledged: return word(QT_TRANSLATE_NOOP("tekil::ui::Shape", "Alarm 1, acknowledged"));
    case Shape::Alarm2: return word(QT_TRANSLATE_NOOP("tekil::ui::Shape", "Alarm 2"));
    case Shape::Alarm3: return word(QT_TRANSLATE_NOOP("tekil::ui::Shape", "Alarm 3"));
    case Shape::Warning: return word(QT_TRANSLATE_NOOP("tekil::ui::Shape", "Warning"));
    case Shape::Waiting: return word(QT_TRANSLATE_NOOP("tekil::ui::Shape", "Waiting"));
    case Shape::NotCurrent: return word(QT_TRANSLATE_NOOP("tekil::ui::Shape", "Not current"));
    }
    return {};
}

QColor hueOf(Shape shape, const Tokens& tokens)
{
    switch (shape) {
    case Shape::Processing:
    case Shape::Active: return tokens.processing;
    case Shape::Completed:
    case Shape::Finalized: return tokens.completed;
    case Shape::Failed:
    case Shape::Alarm1:
    case Shape::Alarm1Acknowledged: return tokens.failed;
    case Shape::Unknown: return tokens.unknown;
    case Shape::Alarm2:
    case Shape::Warning:
    case Shape::Waiting: return tokens.warning;
    case Shape::Released:
    case Shape::Alarm3:
    case Shape::NotCurrent: return tokens.quiet;
    }
    return tokens.quiet;
}

QColor wordColorOf(Shape shape, Strength strength, const Tokens& tokens)
{
    if (strength == Strength::List && shape != Shape::Unknown) {
        const bool settled = shape == Shape::Completed || shape == Shape::Finalized || shape == Shape::Released;
        return settled ? tokens.ink3 : tokens.ink;
    }
    return strength == Strength::Lit ? tokens.base : hueOf(shape, tokens);
}

QFont::Weight wordWeightOf(Shape shape, Strength strength, const Tokens& tokens)
{
    if (strength == Strength::Subject)
        return QFont::Bold;
    if (strength == Strength::Lit)
        return QFont::DemiBold;
    return shape == Shape::Unknown && tokens.current ? QFont::DemiBold : QFont::Normal;
}

QPixmap shapePixmap(Shape shape, Strength strength, int size, qreal dpr, const Tokens& tokens)
{
    const QColor color = shapeColorOf(shape, strength, tokens);
    const QColor paper = strength == Strength::Lit ? hueOf(shape, tokens) : tokens.base;
    const QString key = u"tekil-shape/%1/%2/%3/%4/%5"_s.arg(static_cast<int>(shape))
                            .arg(size)
                            .arg(dpr)
                            .arg(color.rgba(), 0, 16)
                            .arg(paper.rgba(), 0, 16);
    QPixmap pixmap;
    if (QPixmapCache::find(key, &pixmap))
        return pixmap;
    pixmap = QPixmap(QSize(size, size) * dpr);
    pixmap.setDevicePixelRatio(dpr);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.scale(size / 16.0, size / 16.0);
    drawOn16({painter, color, paper}, shape);
    painter.end();
    QPixmapCache::insert(key, pixmap);
    return pixmap;
}

void drawShape(QPainter& painter, const QRect& box, Shape shape, Strength strength, const Tokens& tokens)
{
    painter.drawPixmap(box.topLeft(), shapePixmap(shape, strength, box.width(), deviceScaleOf(painter), tokens));
}

} // namespace tekil::ui
