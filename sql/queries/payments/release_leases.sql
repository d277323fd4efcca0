-- Gives back what has no open attempt. See tekil.release_leases.
select tekil.release_leases($1::uuid[], $2::bigint[], $3::uuid)
