-- The payment with this operation id.
select p.operation_id::text, p.status, p.amount_minor, p.currency, p.exponent, p.created_us, p.invoice_id, p.idempotency_key,
       p.merchant
  from console.payment p where p.operation_id = :operation_id::uuid
