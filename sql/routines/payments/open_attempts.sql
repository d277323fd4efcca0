-- needs: payments/utc_text payments/attempt_row
-- Commits, before its first byte, each request to a provider that is about to be sent, under the lease.
-- remaining_us counts from now to send_before: the lease's end, the key window's or the send deadline's, less a margin.
-- A row that does not come back has lost its lease or has ended; refusal says why one may not be sent any more.
-- Asked again after a lost answer, it tells the attempt that is already open under the same lease.
create or replace function tekil.open_attempts(operation_ids uuid[], lease_epochs bigint[], request_bodies text[],
    instance uuid, lease interval, margin interval)
    returns table (operation_id uuid, attempt int, send_before text, remaining_us bigint, refusal text)
    language plpgsql
    set search_path = pg_catalog
as $$
#variable_conflict use_column
declare
    held tekil.attempt_row[];
    moment timestamptz;
    soonest timestamptz;
begin
    select array_agg(row (l.operation_id, l.lease_epoch, l.request_body, l.merchant_id, l.idempotency_key,
               l.locked_until)::tekil.attempt_row), min(l.locked_until) into held, soonest
      from (select r.operation_id, i.lease_epoch, i.request_body, r.merchant_id, r.idempotency_key, r.locked_until
              from unnest(operation_ids, lease_epochs, request_bodies) as i (operation_id, lease_epoch, request_body)
              join tekil.idempotency_record r on r.operation_id = i.operation_id and r.lease_epoch = i.lease_epoch
             where r.completed_at is null
             order by r.merchant_id, r.idempotency_key for no key update of r) l;
    moment := clock_timestamp();

    if soonest < moment + lease * 0.5 then
        update tekil.idempotency_record r set locked_until = moment + lease
          from unnest(held) h where r.operation_id = h.operation_id and h.locked_until < moment + lease * 0.5;
    end if;

    -- What is told again was perhaps committed here and not yet on a synchronous standby: this write's own commit waits
    -- for it, before anything is sent.
    update tekil.provider_attempt a set why = null
     where a.operation_id = any (array(select h.operation_id from unnest(held) h)) and a.state = 'open' and a.instance_id = instance;

    return query
    with input as (
        select h.operation_id, h.lease_epoch, h.request_body, p.provider_id, h.merchant_id, h.idempotency_key,
               least(case when h.locked_until < moment + lease * 0.5 then moment + lease else h.locked_until end,
                     case when v.can_idempotent and a.first_at is not null then a.first_at + v.key_window end,
                     p.created_at + v.send_deadline) - margin as send_before,
               coalesce(a.last, 0) + 1 as attempt, a.any_open is true as already
          from unnest(held) h
          join tekil.payment p on p.operation_id = h.operation_id
          join tekil.provider v on v.provider_id = p.provider_id
          cross join lateral (select max(x.attempt) as last,
                                     min(x.started_at) filter (where x.state <> 'not_sent') as first_at,
                                     bool_or(x.state = 'open') as any_open
                                from tekil.provider_attempt x where x.operation_id = h.operation_id) a),
    opened as (
        insert into tekil.provider_attempt (operation_id, attempt, provider_id, lease_epoch, instance_id, request_body,
            send_before, state, started_at)
        select i.operation_id, i.attempt, i.provider_id, i.lease_epoch, instance, i.request_body, i.send_before, 'open', moment
          from input i where i.send_before > moment and not i.already),
    told as (
        insert into tekil.key_event (merchant_id, idempotency_key, operation_id, kind, instance_id, facts, at)
        select i.merchant_id, i.idempotency_key, i.operation_id, 'attempt', instance,
               jsonb_build_object('attempt', i.attempt), moment
          from input i where i.send_before > moment and not i.already)
    select i.operation_id, x.attempt, tekil.utc_text(x.send_before),
           (extract(epoch from x.send_before - clock_timestamp()) * 1000000)::bigint,
           case when x.attempt is null then 'send_deadline' end
      from input i
      left join lateral (
           select i.attempt, i.send_before where i.send_before > moment and not i.already
           union all
           select a.attempt, a.send_before from tekil.provider_attempt a
            where i.already and a.operation_id = i.operation_id and a.state = 'open'
              and a.lease_epoch = i.lease_epoch and a.instance_id = instance) x on true
     where x.attempt is not null or not i.already;
end
$$;
revoke all on function tekil.open_attempts(uuid[], bigint[], text[], uuid, interval, interval) from public;
grant execute on function tekil.open_attempts(uuid[], bigint[], text[], uuid, interval, interval) to tekil_engine;
