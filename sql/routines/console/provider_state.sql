-- needs: console/version
-- How each engine that runs stands with each provider: its circuit breaker, what is in flight, the usual time.
create view console.provider_state as
select s.instance_id, i.program, i.host, s.provider_id, v.name as provider, s.breaker, s.in_flight, s.usual_ms,
       (extract(epoch from s.since) * 1000000)::bigint as since_us,
       (extract(epoch from s.updated_at) * 1000000)::bigint as updated_us
  from tekil.provider_state s
  join tekil.engine_instance i on i.instance_id = s.instance_id and i.ended_at is null
  join tekil.provider v on v.provider_id = s.provider_id;
grant select on console.provider_state to tekil_support, tekil_auditor, tekil_admin;
