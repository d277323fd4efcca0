-- Ends attempts and payments by what the provider's answers prove. See tekil.finish_payments.
select operation_id, outcome, status, response_status, response_body
  from tekil.finish_payments($1::uuid[], $2::bigint[], $3::int[], $4::text[], $5::text[], $6::text[], $7::int[], $8::text[], $9::uuid,
       $10::boolean[])
