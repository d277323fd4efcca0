-- The requests that were sent for a payment.
select a.attempt, a.state, a.http_status, a.why, a.provider, a.request_body, a.answer_body, a.started_us, a.ended_us,
       a.send_before_us
  from console.provider_attempt a where a.operation_id = :operation_id::uuid order by a.attempt
