-- The latest payments of this invoice, then the first ones whose invoice begins so; each part by the index's own order.
(select p.operation_id::text, p.status, p.amount_minor, p.currency, p.exponent, p.created_us, p.invoice_id, p.idempotency_key,
        p.merchant
   from console.payment p where p.invoice_id = :exact order by p.created_at desc limit 8)
union all
(select p.operation_id::text, p.status, p.amount_minor, p.currency, p.exponent, p.created_us, p.invoice_id, p.idempotency_key,
        p.merchant
   from console.payment p where p.invoice_id like :prefix and p.invoice_id <> :exact
  order by p.invoice_id using operator(pg_catalog.~<~) limit 8)
limit 8
