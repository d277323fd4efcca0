-- needs: console/engine_instance
-- One row: the oldest open payments by their index, what is taken up again after an engine's end, which engines live.
create function console.overview()
    returns table (oldest_processing uuid, processing_us bigint, oldest_unknown uuid, unknown_us bigint,
        recovering bigint, alive bigint, draining bigint, last_beat_us bigint, server_now_us bigint)
    language sql stable security definer
    set search_path = pg_catalog
as $$
    with live as materialized (
        select i.instance_id, i.state from console.engine_instance i where i.state in ('running', 'draining')),
    taken_up as (
        select from tekil.idempotency_record r
         where r.status = 'Processing' and (r.lease_epoch > 1 or r.lease_holder not in (select l.instance_id from live l))
         limit 10001)
    select p.operation_id, (extract(epoch from p.created_at) * 1000000)::bigint,
           u.operation_id, (extract(epoch from u.created_at) * 1000000)::bigint,
           (select count(*) from taken_up), (select count(*) from live l where l.state = 'running'),
           (select count(*) from live l where l.state = 'draining'),
           (select max(i.heartbeat_us) from console.engine_instance i),
           (extract(epoch from clock_timestamp()) * 1000000)::bigint
      from (select 1) one
      left join lateral (select r.operation_id, r.created_at from tekil.idempotency_record r where r.status = 'Processing'
                          order by r.created_at, r.operation_id limit 1) p on true
      left join lateral (select r.operation_id, r.created_at from tekil.idempotency_record r where r.status = 'Unknown'
                          order by r.created_at, r.operation_id limit 1) u on true
$$;
revoke all on function console.overview() from public;
grant execute on function console.overview() to tekil_support, tekil_auditor, tekil_admin;
