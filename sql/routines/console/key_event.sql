-- needs: console/version
-- The history of keys: with a payment, or of a key that was refused before one existed.
create view console.key_event as
select k.event_id, k.operation_id, k.merchant_id, m.name as merchant, k.idempotency_key, k.kind, k.instance_id, k.facts,
       (extract(epoch from k.at) * 1000000)::bigint as at_us
  from tekil.key_event k join tekil.merchant m on m.merchant_id = k.merchant_id;
grant select on console.key_event to tekil_support, tekil_auditor, tekil_admin;
