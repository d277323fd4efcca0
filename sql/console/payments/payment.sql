-- One payment, as the inspector's head and facts show it.
select p.operation_id::text, p.status, p.amount_minor, p.currency, p.exponent, p.created_us, p.updated_us, p.completed_us,
       p.invoice_id, p.idempotency_key, p.merchant, p.payment_type, p.account_id, p.collection_account_id, p.customer_id,
       p.description, p.provider, p.provider_reference, p.decline_code, p.failure_code, p.unknown_reason, p.version
  from console.payment p where p.operation_id = :operation_id::uuid
