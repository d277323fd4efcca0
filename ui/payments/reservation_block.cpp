// Lines of 20 px beside the entries, parted from them by a dashed line.
#include "ui/payments/reservation_block.h"

#include "ui/widgets/format.h"
#include "ui/widgets/state_shape.h"

#include <QFontMetrics>
#include <QPainter>

namespace tekil::ui::payments {

using namespace Qt::Literals::StringLiterals;

ReservationBlock::ReservationBlock(QWidget* parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Preferred);
}

void ReservationBlock::setReservation(const std::optional<Reservation>& reservation, const QString& currency,
                                      int exponent)
{
    m_reservation = reservation;
    m_currency = currency;
    m_exponent = exponent;
    setAccessibleName(tr("Reservation"));
    setAccessibleDescription(reservation ? wordOf(shapeOf(reservation->state)) + u' '
                                               + formatter().money(reservation->amountMinor, exponent, currency)
                                               + u", "_s + lines().join(u", "_s)
                                         : lines().join(u", "_s));
    updateGeometry();
    update();
}

QStringList ReservationBlock::lines() const
{
    if (!m_reservation)
        return {tr("none was made")};
    const Formatter& words = formatter();
    QStringList out{tr("since %1").arg(words.shortTime(m_reservation->createdUs))};
    switch (m_reservation->state) {
    case ReservationState::Active: out << tr("freed by proof only"); break;
    case ReservationState::Finalized: out << tr("spent %1").arg(words.shortTime(m_reservation->endedUs)); break;
    case ReservationState::Released: out << tr("freed %1").arg(words.shortTime(m_reservation->endedUs)); break;
    }
    return out;
}

QSize ReservationBlock::sizeHint() const
{
    const QFontMetrics strong(faceFont(Face::Second, QFont::DemiBold)), plain(faceFont(Face::Second));
    int width = QFontMetrics(faceFont(Face::Body, QFont::Bold)).horizontalAdvance(tr("Reservation"));
    if (m_reservation)
        width = std::max(width, px(20) + strong.horizontalAdvance(wordOf(shapeOf(m_reservation->state))) + px(6)
                                    + plain.horizontalAdvance(
                                        formatter().money(m_reservation->amountMinor, m_exponent, m_currency)));
    for (const QString& line : lines())
        width = std::max(width, plain.horizontalAdvance(line));
    return {width + px(16), px(84)};
}

void ReservationBlock::paintEvent(QPaintEvent*)
{
    const Tokens& t = tokensFor(this);
    QPainter painter(this);
    QRect row(0, 0, width(), px(20));
    const auto write = [&](int x, const QFont& font, const QColor& color, const QString& text) {
        painter.setFont(font);
        painter.setPen(color);
        painter.drawText(QPoint(x, baselineOf(row)), text);
        return x + QFontMetrics(font).horizontalAdvance(text);
    };
    write(0, faceFont(Face::Body, QFont::Bold), t.ink, tr("Reservation"));
    if (m_reservation) {
        row.translate(0, px(20));
        const Shape shape = shapeOf(m_reservation->state);
        const int size = px(14);
        drawShape(painter, QRect(0, row.center().y() - size / 2 + 1, size, size), shape, Strength::Subject, t);
        const int x = write(px(20), faceFont(Face::Second, QFont::DemiBold), t.ink, wordOf(shape));
        write(x + px(6), faceFont(Face::Second), t.ink,
              formatter().money(m_reservation->amountMinor, m_exponent, m_currency));
    }
    for (const QString& line : lines()) {
        row.translate(0, px(20));
        write(0, faceFont(Face::Second), t.ink2, line);
    }
    painter.setPen(QPen(t.control, 1, Qt::DashLine));
    painter.drawLine(width() - 1, px(24), width() - 1, height() - px(4));
}

} // namespace tekil::ui::payments
