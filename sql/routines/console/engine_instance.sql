-- needs: console/version
-- The engines that were started on this database, the age of their last sign of life, and what that means.
create view console.engine_instance as
select i.instance_id, i.program, i.version, i.host, i.pid, i.roles, i.http,
       (extract(epoch from i.started_at) * 1000000)::bigint as started_us,
       (extract(epoch from i.heartbeat_at) * 1000000)::bigint as heartbeat_us,
       (extract(epoch from i.draining_at) * 1000000)::bigint as draining_us,
       (extract(epoch from i.ended_at) * 1000000)::bigint as ended_us,
       case when i.ended_at is not null then 'stopped'
            when i.heartbeat_at < clock_timestamp() - interval '5 seconds' then 'silent'
            when i.draining_at is not null then 'draining'
            else 'running' end as state,
       i.heartbeat_at
  from tekil.engine_instance i;
grant select on console.engine_instance to tekil_support, tekil_auditor, tekil_admin;
