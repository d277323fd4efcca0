-- Seeds what the overview's counters say of them.
insert into tekil.payment_total as t (from_status, to_status, currency, payments, amount_minor)
select s.from_status, s.to_status, 'TRY', count(*), sum(d.amount_minor)
  from bench_draft d
 cross join lateral (select 'New' as from_status, 'Processing' as to_status
                      union all select 'Processing', d.status where d.status <> 'Processing') s
 group by s.from_status, s.to_status
 order by s.from_status, s.to_status
on conflict (from_status, to_status, currency)
do update set payments = t.payments + excluded.payments, amount_minor = t.amount_minor + excluded.amount_minor
