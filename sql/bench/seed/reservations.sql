-- Seeds the reservations: active while the outcome is not known.
insert into tekil.balance_reservation (operation_id, account_id, amount_minor, currency, status, created_at, expires_at,
    ended_at)
select d.operation_id, d.account_id, d.amount_minor, 'TRY',
       case d.status when 'Completed' then 'Finalized' when 'Failed' then 'Released' else 'Active' end, d.created_at,
       d.created_at + interval '24 hours', case when d.status in ('Completed', 'Failed') then d.ended_at end
  from bench_draft d
