-- Renews the leases of operations this instance still works on; what does not come back is no longer its own.
update tekil.idempotency_record r
   set locked_until = clock_timestamp() + $3::interval
  from unnest($1::uuid[], $2::bigint[]) as i (operation_id, lease_epoch)
 where r.operation_id = i.operation_id and r.lease_epoch = i.lease_epoch and r.status in ('Processing', 'Unknown')
returning r.operation_id
