-- Gives back, at the end of an engine, what it holds and has no open attempt, so that another one goes on at once.
-- Returns how many.
create or replace function tekil.release_leases(operation_ids uuid[], lease_epochs bigint[], instance uuid) returns bigint
    language plpgsql
    set search_path = pg_catalog
as $$
declare
    held uuid[];
    released bigint;
begin
    select coalesce(array_agg(l.operation_id), '{}') into held
      from (select r.operation_id from unnest(operation_ids, lease_epochs) as i (operation_id, lease_epoch)
              join tekil.idempotency_record r on r.operation_id = i.operation_id and r.lease_epoch = i.lease_epoch
             where r.status in ('Processing', 'Unknown') and r.lease_holder = instance
             order by r.merchant_id, r.idempotency_key for no key update of r) l;

    -- A new statement: an attempt that was committed while the lock was waited for is seen.
    with freed as (
        update tekil.idempotency_record r
           set lease_holder = null, lease_epoch = r.lease_epoch + 1, locked_until = clock_timestamp()
         where r.operation_id = any (held)
           and not exists (select from tekil.provider_attempt a where a.operation_id = r.operation_id and a.state = 'open')
        returning r.merchant_id, r.idempotency_key, r.operation_id)
    insert into tekil.key_event (merchant_id, idempotency_key, operation_id, kind, instance_id)
    select f.merchant_id, f.idempotency_key, f.operation_id, 'released', instance from freed f;
    get diagnostics released = row_count;
    return released;
end
$$;
revoke all on function tekil.release_leases(uuid[], bigint[], uuid) from public;
grant execute on function tekil.release_leases(uuid[], bigint[], uuid) to tekil_engine;
