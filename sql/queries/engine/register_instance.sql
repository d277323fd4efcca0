-- Tells the database that this instance runs, as what and where.
insert into tekil.engine_instance (instance_id, program, version, host, pid, roles, http)
values ($1, $2, $3, $4, $5, $6::text[], $7)
on conflict (instance_id) do update set heartbeat_at = clock_timestamp()
returning beats, (extract(epoch from heartbeat_at) * 1000000)::bigint
