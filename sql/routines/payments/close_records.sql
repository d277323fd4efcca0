-- needs: payments/finish_row
-- Tells a batch's endings to its keys: an event each; an end closes the record, and what is Unknown is given back, due
-- again after a pause that grows with each try.
create or replace function tekil.close_records(decided tekil.finish_row[], instance uuid, moment timestamptz)
    returns void
    language plpgsql
    set search_path = pg_catalog
as $$
begin
    with events as (
        insert into tekil.key_event (merchant_id, idempotency_key, operation_id, kind, instance_id, facts, at)
        select d.merchant_id, d.idempotency_key, d.operation_id,
               case when d.asked then 'inquiry' when d.proof in ('not_sent', 'expired') then 'not_sent'
                    when d.http_status is null then 'no_answer' else 'answer' end, instance,
               jsonb_strip_nulls(jsonb_build_object('attempt', d.attempt, 'proof', d.proof, 'httpStatus', d.http_status,
                   'code', d.code, 'providerReference', d.reference)), moment
          from unnest(decided) d where d.proof <> 'left')
    update tekil.idempotency_record r
       set status = coalesce(d.becomes, d.was), completed_at = d.completed_at,
           response_status = case d.becomes when 'Completed' then 201 when 'Failed' then 402 end,
           response_body = case when d.completed_at is not null then d.body end,
           lease_holder = null,
           locked_until = case when d.completed_at is null then moment + case
               when d.proof = 'left' or not d.can_ask then interval '1 day'
               when r.status = 'Processing' then interval '1 second'
               else least(interval '1 second' * 2 ^ least(r.recovery_tries, 10), interval '10 minutes') end end,
           recovery_tries = case when r.status = 'Unknown' then r.recovery_tries + 1 else 0 end,
           lease_epoch = r.lease_epoch + 1
      from unnest(decided) d
     where r.operation_id = d.operation_id and coalesce(d.becomes, d.was) <> 'Processing';
end
$$;
revoke all on function tekil.close_records(tekil.finish_row[], uuid, timestamptz) from public;
grant execute on function tekil.close_records(tekil.finish_row[], uuid, timestamptz) to tekil_engine;
