// What is held for a payment: shape and word, amount, since when, and what frees it.
#pragma once

#include "ui/payments/payment_record.h"

#include <QWidget>

namespace tekil::ui::payments {

class ReservationBlock : public QWidget {
    Q_OBJECT
public:
    explicit ReservationBlock(QWidget* parent = nullptr);
    void setReservation(const std::optional<Reservation>& reservation, const QString& currency, int exponent);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QStringList lines() const;

    std::optional<Reservation> m_reservation;
    QString m_currency;
    int m_exponent = 2;
};

} // namespace tekil::ui::payments
