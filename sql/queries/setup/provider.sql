-- How a provider is spoken to.
select provider_id, name, base_url, can_idempotent, can_inquiry, timeout_ms, max_concurrency, definite_refusals::text,
       (extract(epoch from send_deadline) * 1000)::bigint, breaker_min_calls, breaker_percent,
       (extract(epoch from breaker_window) * 1000)::bigint, (extract(epoch from breaker_open) * 1000)::bigint
  from tekil.provider where provider_id = $1
