-- needs: console/version
-- The last sixty whole seconds: how many payments came and how many took each way. `seen` is false where no engine gave
-- a sign of life: nothing is known of such a second.
create view console.payment_flow as
select (extract(epoch from s.second) * 1000000)::bigint as second_us,
       count(f.second) > 0
           or exists (select from tekil.engine_beat b
                       where b.second between s.second - interval '1 second' and s.second + interval '1 second') as seen,
       coalesce(sum(f.payments) filter (where f.from_status = 'New'), 0)::bigint as came,
       coalesce(sum(f.payments) filter (where f.from_status = 'Processing' and f.to_status = 'Completed'), 0)::bigint as completed,
       coalesce(sum(f.payments) filter (where f.from_status = 'Processing' and f.to_status = 'Failed'), 0)::bigint as failed,
       coalesce(sum(f.payments) filter (where f.from_status = 'Processing' and f.to_status = 'Unknown'), 0)::bigint as unknown,
       coalesce(sum(f.payments) filter (where f.from_status = 'Unknown' and f.to_status = 'Completed'), 0)::bigint as proved_completed,
       coalesce(sum(f.payments) filter (where f.from_status = 'Unknown' and f.to_status = 'Failed'), 0)::bigint as proved_failed
  from generate_series(date_trunc('second', clock_timestamp()) - interval '60 seconds',
                       date_trunc('second', clock_timestamp()) - interval '1 second', interval '1 second') as s (second)
  left join tekil.payment_flow f on f.second = s.second
 group by s.second;
grant select on console.payment_flow to tekil_support, tekil_auditor, tekil_admin;
