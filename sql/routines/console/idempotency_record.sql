-- needs: console/reads_customers
-- What is stored under a key: the request's fingerprint, its lease, the answer that repeats get.
create view console.idempotency_record as
select r.operation_id, m.name as merchant, r.idempotency_key, r.kind, r.status, r.hash_version,
       encode(r.request_hash, 'hex') as request_hash, r.account_id, r.payment_type, r.invoice_id, r.invoice_is_number,
       r.amount_minor, r.currency, c.exponent,
       case when console.reads_customers() then r.customer_id
            when r.customer_id is not null then '•••' || right(r.customer_id, 2) end as customer_id,
       case when console.reads_customers() then r.description end as description,
       r.lease_epoch, r.lease_holder, (extract(epoch from r.locked_until) * 1000000)::bigint as locked_until_us,
       r.response_status, r.response_body,
       (extract(epoch from r.created_at) * 1000000)::bigint as created_us,
       (extract(epoch from r.expires_at) * 1000000)::bigint as expires_us
  from tekil.idempotency_record r
  join tekil.merchant m on m.merchant_id = r.merchant_id
  join tekil.currency c on c.code = r.currency;
grant select on console.idempotency_record to tekil_support, tekil_auditor, tekil_admin;
