-- What this instance sees of its providers, for people.
insert into tekil.provider_state (instance_id, provider_id, breaker, in_flight, usual_ms, since, updated_at)
select $1::uuid, i.provider_id, i.breaker, i.in_flight, i.usual_ms, clock_timestamp(), clock_timestamp()
  from unnest($2::bigint[], $3::text[], $4::int[], $5::int[]) as i (provider_id, breaker, in_flight, usual_ms)
    on conflict (instance_id, provider_id) do update
       set breaker = excluded.breaker, in_flight = excluded.in_flight, usual_ms = excluded.usual_ms,
           since = case when provider_state.breaker = excluded.breaker then provider_state.since else excluded.since end,
           updated_at = excluded.updated_at
