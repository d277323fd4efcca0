-- Ends attempts and payments by what the provider's answers prove, and opens the cases they are. See tekil.book_outcomes.
select operation_id, outcome, status, response_status, response_body
  from tekil.book_outcomes($1::uuid[], $2::bigint[], $3::int[], $4::text[], $5::text[], $6::text[], $7::int[], $8::text[], $9::uuid,
       $10::boolean[], $11::bigint[], $12::boolean[])
