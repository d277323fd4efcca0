-- Writes what happened to keys after the claim and outside a batch's own transaction: duplicates, mismatches, replays.
-- One row a key, kind and batch, with how often.
insert into tekil.key_event (merchant_id, idempotency_key, operation_id, kind, instance_id, facts)
select i.merchant_id, i.idempotency_key, i.operation_id, i.kind, $5::uuid, jsonb_build_object('times', i.times)
  from unnest($1::bigint[], $2::text[], $3::uuid[], $4::text[], $6::bigint[])
       as i (merchant_id, idempotency_key, operation_id, kind, times)
