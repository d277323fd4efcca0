-- About how many payments there are.
select e.payments from console.payment_estimate e
