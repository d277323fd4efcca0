-- How many payments are in each state, and their money: what the counters say, exact in any snapshot.
create or replace view tekil.counted_payments as
with counted as (
    select t.from_status, t.to_status, t.currency, t.payments, t.amount_minor from tekil.payment_total t
     union all
    select f.from_status, f.to_status, f.currency, f.payments, f.amount_minor from tekil.payment_flow f)
select s.status, c.currency,
       sum(case when c.to_status = s.status then c.payments else -c.payments end)::bigint as payments,
       sum(case when c.to_status = s.status then c.amount_minor else -c.amount_minor end) as amount_minor
  from tekil.payment_status s
  join counted c on s.status in (c.from_status, c.to_status)
 group by s.status, c.currency;
grant select on tekil.counted_payments to tekil_engine;
