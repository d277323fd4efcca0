-- The instance's sign of life, and the second in which it was alive.
with alive as (
    update tekil.engine_instance set heartbeat_at = clock_timestamp() where instance_id = $1
    returning heartbeat_at)
insert into tekil.engine_beat (second, instance_id)
select date_trunc('second', a.heartbeat_at), $1 from alive a
on conflict do nothing
