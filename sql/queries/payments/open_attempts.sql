-- Commits the attempts that are about to be sent. See tekil.open_attempts.
select operation_id, attempt, send_before, remaining_us, refusal
  from tekil.open_attempts($1::uuid[], $2::bigint[], $3::text[], $4::uuid, $5::interval, $6::interval)
