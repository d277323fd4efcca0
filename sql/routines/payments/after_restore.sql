-- needs: payments/accept
-- Makes a restored database safe to go on with. What happened after the backup is not in it: whatever was under way may
-- have been sent since then. So every payment that has not ended gets an attempt whose answer nobody saw, from its first
-- possible instant until now: recovery then asks, or sends the same bytes under the same key within the key's window, or
-- leaves it Unknown; it never takes it for unsent, and no "not found" counts before now and the provider's grace.
-- A claim without its payment is accepted here, and treated alike. One that cannot be accepted now may have been accepted
-- then: it is kept as it is, out of recovery's reach, for people.
-- Returns how many there were of each; refuses where this computer's clock is behind the backup's.
create or replace function tekil.after_restore(instance uuid)
    returns table (claimed bigint, kept bigint, processing bigint, unknown bigint)
    language plpgsql
    set search_path = pg_catalog
as $$
#variable_conflict use_column
declare
    moment timestamptz := clock_timestamp();
    newest timestamptz;
    claim record;
    got text;
begin
    select max(e.at) into newest from tekil.key_event e;
    if newest > moment + interval '1 minute' then
        raise exception 'this computer''s clock says %, and the backup holds events of %: set the clock right first',
            moment, newest using errcode = '22023';
    end if;
    update tekil.engine_instance i set ended_at = i.heartbeat_at where i.ended_at is null;
    -- The logins are made anew, with other numbers; until then no number may be somebody else's.
    update tekil.operator o set login_oid = (4294967295 - o.operator_id)::oid;

    claimed := 0;
    kept := 0;
    for claim in
        select r.operation_id, r.lease_epoch from tekil.idempotency_record r
         where r.status = 'Processing' and not exists (select from tekil.payment p where p.operation_id = r.operation_id)
         order by r.created_at, r.operation_id
    loop
        claimed := claimed + 1;
        begin
            select a.outcome into got
              from tekil.accept_payments(array[claim.operation_id], array[claim.lease_epoch], instance) a;
            if got is distinct from 'accepted' then
                raise exception '%', got using errcode = 'P0001';
            end if;
        exception when raise_exception or integrity_constraint_violation then
            kept := kept + 1;
            update tekil.idempotency_record r
               set lease_epoch = r.lease_epoch + 1, lease_holder = null, locked_until = '9999-12-31 00:00:00+00'
             where r.operation_id = claim.operation_id;
        end;
    end loop;

    select count(*) filter (where p.status = 'Processing'), count(*) filter (where p.status = 'Unknown')
      into processing, unknown from tekil.payment p where p.status in ('Processing', 'Unknown');

    insert into tekil.provider_attempt (operation_id, attempt, provider_id, lease_epoch, instance_id, request_body,
        send_before, state, why, started_at, ended_at)
    select p.operation_id, coalesce(a.last, 0) + 1, p.provider_id, r.lease_epoch, instance, coalesce(a.request_body, ''),
           moment, 'no_answer', 'restored', p.created_at, moment
      from tekil.payment p
      join tekil.idempotency_record r on r.operation_id = p.operation_id
      cross join lateral (select max(x.attempt) as last, min(x.request_body) as request_body
                            from tekil.provider_attempt x where x.operation_id = p.operation_id) a
     where p.status in ('Processing', 'Unknown');

    insert into tekil.key_event (merchant_id, idempotency_key, operation_id, kind, instance_id, facts, at)
    select r.merchant_id, r.idempotency_key, r.operation_id, 'takeover', instance, '{"from":"restore"}', moment
      from tekil.idempotency_record r where r.status in ('Processing', 'Unknown');

    -- The old holders' leases mean nothing here; a new epoch shuts out whatever they still say.
    update tekil.idempotency_record r
       set lease_epoch = r.lease_epoch + 1, lease_holder = null, locked_until = moment, recovery_tries = 0
      from tekil.payment p
     where p.operation_id = r.operation_id and p.status in ('Processing', 'Unknown');
    return next;
end
$$;
revoke all on function tekil.after_restore(uuid) from public;
