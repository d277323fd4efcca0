-- The engines that run, and those that ended or fell silent within a day, the last ones first.
select e.instance_id::text, e.program, e.version, e.host, e.pid, e.state, e.started_us, e.heartbeat_us, e.ended_us,
       array_to_string(e.roles, ', '), e.http
  from console.engine_instance e
 where e.heartbeat_at > clock_timestamp() - interval '1 day'
 order by array_position(array['running', 'draining', 'silent', 'stopped'], e.state), e.heartbeat_us desc limit 12
