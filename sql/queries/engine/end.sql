-- The instance has drained and leaves.
update tekil.engine_instance set heartbeat_at = clock_timestamp(), ended_at = clock_timestamp() where instance_id = $1
