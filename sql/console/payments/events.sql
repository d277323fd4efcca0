-- What happened to a payment's key, the latest 500, oldest first.
select e.kind, e.facts, e.at_us, e.operation_id::text, e.program, e.host, e.pid
  from (select k.event_id, k.kind, k.facts::text, k.at_us, k.operation_id, i.program, i.host, i.pid
          from console.payment p
          join console.key_event k on k.merchant_id = p.merchant_id and k.idempotency_key = p.idempotency_key
          left join console.engine_instance i on i.instance_id = k.instance_id
         where p.operation_id = :operation_id::uuid
         order by k.event_id desc limit 500) e
 order by e.at_us, e.event_id
