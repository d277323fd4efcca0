-- What is held for a payment.
select r.account_id, r.owner_name, r.amount_minor, r.currency, r.exponent, r.status, r.created_us, r.expires_us, r.ended_us
  from console.balance_reservation r where r.operation_id = :operation_id::uuid
