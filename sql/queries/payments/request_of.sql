-- What must be sent to the provider for accepted operations, from the stored request alone.
select p.operation_id, p.provider_id, p.amount_minor, p.currency, p.invoice_id, p.payment_type,
       (select a.request_body from tekil.provider_attempt a where a.operation_id = p.operation_id order by a.attempt limit 1)
  from tekil.payment p where p.operation_id = any ($1::uuid[])
