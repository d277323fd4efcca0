-- The instance's sign of life.
update tekil.engine_instance set heartbeat_at = clock_timestamp() where instance_id = $1
