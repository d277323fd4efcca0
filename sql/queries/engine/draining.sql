-- The instance takes no new work any more and ends what is on its way.
update tekil.engine_instance set draining_at = clock_timestamp() where instance_id = $1 and draining_at is null
