-- What the attempts under way had sent to the provider, for its books.
select a.operation_id, a.request_body from tekil.provider_attempt a where a.state = 'open' order by a.operation_id
