-- The current state of payments that merchants ask for, by operation id or by key, within the merchant's own.
with input as (
    select * from unnest($1::bigint[], $2::uuid[], $3::text[]) with ordinality
        as i (merchant_id, operation_id, idempotency_key, ord)),
found as (
    select i.ord, r.* from input i
      join tekil.idempotency_record r on r.operation_id = i.operation_id and r.merchant_id = i.merchant_id
    union all
    select i.ord, r.* from input i
      join tekil.idempotency_record r on r.merchant_id = i.merchant_id and r.idempotency_key = i.idempotency_key
     where i.operation_id is null)
select r.ord, r.operation_id,
       tekil.payment_body(r.operation_id, r.status, r.invoice_id, r.invoice_is_number, r.amount_minor, r.currency,
           p.provider_reference, p.decline_code, p.failure_code, r.created_at, r.completed_at), r.status, r.provider_id,
       (extract(epoch from r.locked_until - clock_timestamp()) * 1000)::bigint,
       (extract(epoch from clock_timestamp() - r.created_at) * 1000)::bigint, r.lease_holder is not null
  from found r
  left join tekil.payment p on p.operation_id = r.operation_id
union all
-- Its key's record has gone with its retention; the payment stays.
select i.ord, p.operation_id,
       tekil.payment_body(p.operation_id, p.status, p.invoice_id, p.invoice_is_number, p.amount_minor, p.currency,
           p.provider_reference, p.decline_code, p.failure_code, p.created_at, p.completed_at), p.status, p.provider_id,
       null, 0, false
  from input i
  join tekil.payment p on p.operation_id = i.operation_id and p.merchant_id = i.merchant_id
 where not exists (select from tekil.idempotency_record r where r.operation_id = i.operation_id)
