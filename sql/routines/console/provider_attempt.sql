-- needs: console/reads_customers
-- The requests sent to providers, and what came back.
create view console.provider_attempt as
select a.operation_id, a.attempt, a.state, a.http_status, a.why, v.name as provider, a.instance_id,
       case when console.reads_customers() then a.request_body end as request_body,
       case when console.reads_customers() then a.answer_body end as answer_body,
       (extract(epoch from a.started_at) * 1000000)::bigint as started_us,
       (extract(epoch from a.ended_at) * 1000000)::bigint as ended_us,
       (extract(epoch from a.send_before) * 1000000)::bigint as send_before_us
  from tekil.provider_attempt a join tekil.provider v on v.provider_id = a.provider_id;
grant select on console.provider_attempt to tekil_support, tekil_auditor, tekil_admin;
