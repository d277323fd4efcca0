-- The latest payments under this idempotency key, of whatever merchant.
select p.operation_id::text, p.status, p.amount_minor, p.currency, p.exponent, p.created_us, p.invoice_id, p.idempotency_key,
       p.merchant
  from console.payment p where p.idempotency_key = :key
 order by p.created_at desc limit 8
