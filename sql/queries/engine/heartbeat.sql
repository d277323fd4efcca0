-- The instance's sign of life, and what its row told before: an instance that remembers a later one knows that commits
-- were lost. No row: the same. It writes, so that with a synchronous standby its own commit waits for all that were
-- before it. Beside it, the second in which the instance was alive.
with before as (
    select i.instance_id, i.beats, i.heartbeat_at from tekil.engine_instance i where i.instance_id = $1 for no key update),
alive as (
    update tekil.engine_instance i
       set heartbeat_at = clock_timestamp(), beats = b.beats + 1
      from before b where i.instance_id = b.instance_id
    returning b.beats as beats_before, b.heartbeat_at as before_at, i.beats, i.heartbeat_at),
second as (
    insert into tekil.engine_beat (second, instance_id)
    select date_trunc('second', a.heartbeat_at), $1 from alive a
    on conflict do nothing)
select a.beats_before, (extract(epoch from a.before_at) * 1000000)::bigint, a.beats,
       (extract(epoch from a.heartbeat_at) * 1000000)::bigint
  from alive a
