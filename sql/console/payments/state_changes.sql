-- The way a payment has taken.
select s.from_status, s.to_status, s.cause, s.at_us
  from console.payment_state_change s where s.operation_id = :operation_id::uuid order by s.version
