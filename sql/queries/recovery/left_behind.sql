-- What has not ended: claimed only, payments under way, those of them that may have reached their provider, Unknown ones.
select count(*) filter (where p.operation_id is null), count(*) filter (where p.status = 'Processing'),
       count(*) filter (where p.status = 'Processing'
           and exists (select from tekil.provider_attempt a where a.operation_id = r.operation_id and a.state <> 'not_sent')),
       count(*) filter (where p.status = 'Unknown')
  from tekil.idempotency_record r
  left join tekil.payment p on p.operation_id = r.operation_id
 where r.status in ('Processing', 'Unknown')
