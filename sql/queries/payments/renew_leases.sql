-- Renews the leases of operations this instance still works on; what does not come back is no longer its own.
with held as (
    select r.merchant_id, r.idempotency_key
      from unnest($1::uuid[], $2::bigint[]) as i (operation_id, lease_epoch)
      join tekil.idempotency_record r on r.operation_id = i.operation_id and r.lease_epoch = i.lease_epoch
     where r.status in ('Processing', 'Unknown')
     order by r.merchant_id, r.idempotency_key for no key update of r)
update tekil.idempotency_record r
   set locked_until = clock_timestamp() + $3::interval
  from held h
 where r.merchant_id = h.merchant_id and r.idempotency_key = h.idempotency_key
returning r.operation_id
