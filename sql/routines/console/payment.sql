-- needs: console/reads_customers
-- The list of payments, newest first by (created_at, operation_id): plain, so that every sort keeps its index.
create view console.payment as
select p.operation_id, p.status, p.amount_minor, p.currency, c.exponent, p.created_at,
       (extract(epoch from p.created_at) * 1000000)::bigint as created_us,
       (extract(epoch from p.updated_at) * 1000000)::bigint as updated_us,
       (extract(epoch from p.completed_at) * 1000000)::bigint as completed_us,
       p.invoice_id, p.idempotency_key, p.merchant_id, m.name as merchant, p.payment_type, p.account_id, p.collection_account_id,
       case when console.reads_customers() then p.customer_id
            when p.customer_id is not null then '•••' || right(p.customer_id, 2) end as customer_id,
       case when console.reads_customers() then p.description end as description,
       v.name as provider, p.provider_reference, p.decline_code, p.failure_code, p.unknown_reason, p.version
  from tekil.payment p
  join tekil.currency c on c.code = p.currency
  join tekil.merchant m on m.merchant_id = p.merchant_id
  join tekil.provider v on v.provider_id = p.provider_id;
grant select on console.payment to tekil_support, tekil_auditor, tekil_admin;
