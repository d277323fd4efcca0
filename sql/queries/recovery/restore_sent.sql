-- After lost commits: takes what this instance remembers, and marks what it has sent as sent. See tekil.restore_sent.
select operation_id, lease_epoch, attempt, status from tekil.restore_sent($1::uuid[], $2::text[], $3::boolean[], $4::uuid, $5::interval)
