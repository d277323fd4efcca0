-- Payments by state and currency, and the money held for the open ones.
select n.status, n.currency, n.exponent, n.payments, n.held_minor from console.payment_count n order by n.status, n.currency
