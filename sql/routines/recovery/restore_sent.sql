-- After lost commits: the instance that remembers these operations takes each that has not ended, and those it had sent
-- (their request bytes are given) have an attempt again, so that nobody takes them for unsent. What is not in the
-- records any more does not come back; nor does what the instance has in hand: that goes on as it is.
create or replace function tekil.restore_sent(operation_ids uuid[], request_bodies text[], in_hand boolean[],
    instance uuid, lease interval)
    returns table (operation_id uuid, lease_epoch bigint, attempt int, status text)
    language plpgsql
    set search_path = pg_catalog
as $$
#variable_conflict use_column
declare
    held uuid[];
    moment timestamptz;
begin
    select coalesce(array_agg(l.operation_id), '{}') into held
      from (select r.operation_id from tekil.idempotency_record r
             where r.operation_id = any (operation_ids) and r.status in ('Processing', 'Unknown')
             order by r.merchant_id, r.idempotency_key for no key update) l;
    moment := clock_timestamp();

    insert into tekil.provider_attempt (operation_id, attempt, provider_id, lease_epoch, instance_id, request_body, send_before,
        state, why, started_at, ended_at)
    select p.operation_id, 1, p.provider_id, r.lease_epoch, instance, i.request_body, moment, 'no_answer', 'commits_lost',
           moment, moment
      from unnest(operation_ids, request_bodies) as i (operation_id, request_body)
      join tekil.payment p on p.operation_id = i.operation_id
      join tekil.idempotency_record r on r.operation_id = i.operation_id
     where i.operation_id = any (held) and i.request_body is not null
       and not exists (select from tekil.provider_attempt a where a.operation_id = i.operation_id and a.state <> 'not_sent')
    on conflict do nothing;

    insert into tekil.key_event (merchant_id, idempotency_key, operation_id, kind, instance_id, at)
    select r.merchant_id, r.idempotency_key, r.operation_id, 'restored', instance, moment
      from tekil.idempotency_record r where r.operation_id = any (held);

    return query
    update tekil.idempotency_record r
       set lease_epoch = r.lease_epoch + 1, lease_holder = instance, locked_until = moment + lease
      from unnest(operation_ids, in_hand) as i (operation_id, in_hand)
     where r.operation_id = any (held) and i.operation_id = r.operation_id and not i.in_hand
    returning r.operation_id, r.lease_epoch,
              (select coalesce(max(a.attempt), 0) from tekil.provider_attempt a where a.operation_id = r.operation_id), r.status;
end
$$;
revoke all on function tekil.restore_sent(uuid[], text[], boolean[], uuid, interval) from public;
grant execute on function tekil.restore_sent(uuid[], text[], boolean[], uuid, interval) to tekil_engine;
