-- The engines of this computer that did not end in order, told once: those whose process is not among the living ($2).
update tekil.engine_instance i set ended_at = i.heartbeat_at
 where i.ended_at is null and i.host = $1 and i.pid <> all ($2::bigint[])
returning i.program, i.pid
