-- The latest payments whose invoice begins so; the exact one first.
select p.operation_id::text, p.status, p.amount_minor, p.currency, p.exponent, p.created_us, p.invoice_id, p.idempotency_key,
       p.merchant
  from console.payment p where p.invoice_id like :prefix
 order by p.invoice_id = :exact desc, p.created_at desc limit 8
