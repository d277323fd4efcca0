-- When the payments of a dead engine were taken over and ended, in microseconds from the start of the one that did.
with start as (select max(e.started_at) as at from tekil.engine_instance e),
     taken as (select k.operation_id, min(k.at) as at from tekil.key_event k where k.kind = 'takeover' group by 1)
select count(*), (extract(epoch from max(t.at) - max(s.at)) * 1000000)::bigint,
       (extract(epoch from max(r.completed_at) - max(s.at)) * 1000000)::bigint,
       count(*) filter (where r.completed_at is not null)
  from taken t cross join start s join tekil.idempotency_record r on r.operation_id = t.operation_id
