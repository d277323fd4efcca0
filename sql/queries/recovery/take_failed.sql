-- Failed payments that are due to be asked for once more; the pauses grow, and after the last one the row goes. So it
-- does once a late capture has been found. Not of the providers in $2, which are not called at present.
with due as (
    select l.operation_id, l.tries from tekil.late_inquiry l
     where l.due_at < clock_timestamp() and l.provider_id <> all ($2::bigint[])
     order by l.due_at limit $1 for update skip locked),
over as (
    delete from tekil.late_inquiry l using due d
     where l.operation_id = d.operation_id
       and (d.tries >= 6 or exists (select from tekil.reconciliation_case c
                                     where c.operation_id = d.operation_id and c.kind = 'late_capture'))),
moved as (
    update tekil.late_inquiry l
       set tries = l.tries + 1, due_at = clock_timestamp() + interval '10 seconds' * 6 ^ (l.tries + 1)
      from due d
     where l.operation_id = d.operation_id and d.tries < 6
       and not exists (select from tekil.reconciliation_case c
                        where c.operation_id = d.operation_id and c.kind = 'late_capture')
    returning l.operation_id)
select p.operation_id, p.merchant_id, p.idempotency_key, p.provider_id, p.amount_minor, p.currency
  from moved m join tekil.payment p on p.operation_id = m.operation_id and p.status = 'Failed'
