-- needs: console/version overview/counted_payments
-- How many payments are in each state and, where they are open, how much money is held for them: from counters.
create view console.payment_count as
select n.status, n.currency, c.exponent, n.payments,
       case when n.status in ('Processing', 'Unknown') then n.amount_minor::bigint end as held_minor
  from tekil.counted_payments n join tekil.currency c on c.code = n.currency;
grant select on console.payment_count to tekil_support, tekil_auditor, tekil_admin;
