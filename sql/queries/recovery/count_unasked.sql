-- Of the given operations, those whose outcome the provider has not been asked for since they were restored.
select count(*)
  from unnest($1::uuid[]) as i (operation_id)
  join tekil.idempotency_record r on r.operation_id = i.operation_id
  join tekil.provider v on v.provider_id = r.provider_id
 where exists (select from tekil.provider_attempt a where a.operation_id = r.operation_id)
   and (r.status = 'Processing' or r.status = 'Unknown' and r.recovery_tries = 0 and (v.can_inquiry or v.can_idempotent))
