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
           p.provider_reference, p.decline_code, p.failure_code, r.created_at, r.completed_at), r.status
  from found r
  left join tekil.payment p on p.operation_id = r.operation_id
