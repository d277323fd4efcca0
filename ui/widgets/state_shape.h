// The shapes that say a state: every state has one of its own, so that colour is never the only sign.
#pragma once

#include "core/base/payment_state.h"
#include "ui/widgets/theme.h"

#include <QMetaType>
#include <QPixmap>
#include <QString>

namespace tekil::ui {

enum class Shape : std::uint8_t {
    Processing,
    Completed,
    Failed,
    Unknown,
    Active,
    Finalized,
    Released,
    Alarm1,
    Alarm1Acknowledged,
    Alarm2,
    Alarm3,
    Warning,
    Waiting,
    NotCurrent,
};

// List: only what asks for a person is coloured. Subject: the shape's own hue. Lit: on a node filled with the hue.
enum class Strength : std::uint8_t { List, Subject, Lit };

Shape shapeOf(PaymentState state);
Shape shapeOf(ReservationState state);

QString wordOf(Shape shape); // "Unknown", translated
QColor hueOf(Shape shape, const Tokens& tokens);
QColor wordColorOf(Shape shape, Strength strength, const Tokens& tokens);
QFont::Weight wordWeightOf(Shape shape, Strength strength, const Tokens& tokens);

// Draws from a cache keyed by shape, strength, size, device pixel ratio and tokens. `box` is square.
void drawShape(QPainter& painter, const QRect& box, Shape shape, Strength strength, const Tokens& tokens);
QPixmap shapePixmap(Shape shape, Strength strength, int size, qreal dpr, const Tokens& tokens);

} // namespace tekil::ui

Q_DECLARE_METATYPE(tekil::ui::Shape)
