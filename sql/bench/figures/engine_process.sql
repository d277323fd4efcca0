-- The process of the engine that serves this URL on this host.
select e.pid from tekil.engine_instance e where e.http = $1 and e.host = $2 and e.ended_at is null
 order by e.started_at desc limit 1
