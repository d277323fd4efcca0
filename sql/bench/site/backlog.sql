-- What has not come to its end: payments, and messages where an engine relays them.
select (select count(*) from tekil.idempotency_record r where r.status in ('Processing', 'Unknown')),
       case when exists (select from tekil.engine_instance e where e.ended_at is null and 'relay' = any (e.roles))
            then (select count(*) from tekil.outbox_message m where m.state = 'pending') else 0 end
