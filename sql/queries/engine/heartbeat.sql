-- The instance's sign of life, and what its row told before: an instance that remembers a later one knows that commits
-- were lost. No row: the same. It writes, so that with a synchronous standby its own commit waits for all that were
-- before it.
with before as (
    select i.instance_id, i.beats, i.heartbeat_at from tekil.engine_instance i where i.instance_id = $1 for no key update)
update tekil.engine_instance i
   set heartbeat_at = clock_timestamp(), beats = b.beats + 1
  from before b where i.instance_id = b.instance_id
returning b.beats, (extract(epoch from b.heartbeat_at) * 1000000)::bigint, i.beats,
          (extract(epoch from i.heartbeat_at) * 1000000)::bigint
