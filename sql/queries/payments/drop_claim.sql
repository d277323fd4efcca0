-- Takes back a claim whose request cannot be accepted, so that it burns no key; the event says why.
with dropped as (
    delete from tekil.idempotency_record r
     where r.operation_id = $1 and r.lease_epoch = $2 and r.status = 'Processing'
       and not exists (select from tekil.payment p where p.operation_id = r.operation_id)
    returning r.merchant_id, r.idempotency_key, r.operation_id)
insert into tekil.key_event (merchant_id, idempotency_key, operation_id, kind, instance_id, facts)
select d.merchant_id, d.idempotency_key, d.operation_id, 'refused', $3, jsonb_build_object('code', $4::text) from dropped d
