-- Accepts claimed operations: identity, reservation over the locked balance, payment. See tekil.accept_payments.
select operation_id, outcome, first_operation_id, response_status, response_body
  from tekil.accept_payments($1::uuid[], $2::bigint[], $3::uuid)
