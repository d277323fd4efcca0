-- What is stored under a payment's key.
select r.hash_version, r.request_hash, r.lease_epoch, r.locked_until_us, r.response_status, r.response_body, r.created_us,
       r.expires_us, r.invoice_is_number, r.description, r.customer_id
  from console.idempotency_record r where r.operation_id = :operation_id::uuid
