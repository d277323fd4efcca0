-- What came too late, under a lease that was lost, books nothing: the attempt gets its end, an event tells what it was, and
-- an Unknown payment that nobody holds is due at once, so that who takes it next asks. The records are locked.
create or replace function tekil.keep_late_proofs(lost uuid[], operation_ids uuid[], attempts int[], proofs text[],
    references_ text[], codes text[], http_statuses int[], answers text[], instance uuid, moment timestamptz) returns void
    language sql
    set search_path = pg_catalog
as $$
    insert into tekil.key_event (merchant_id, idempotency_key, operation_id, kind, instance_id, facts, at)
    select p.merchant_id, p.idempotency_key, p.operation_id, 'lease_lost', instance,
           jsonb_strip_nulls(jsonb_build_object('attempt', i.attempt, 'proof', i.proof, 'httpStatus', i.http_status,
               'code', i.code, 'providerReference', i.reference)), moment
      from unnest(operation_ids, attempts, proofs, references_, codes, http_statuses)
           as i (operation_id, attempt, proof, reference, code, http_status)
      join tekil.payment p on p.operation_id = i.operation_id
     where i.operation_id = any (lost)
       -- The same end reported twice is no news, nor is silence about a payment that has ended; a contradiction is.
       and case p.status when 'Completed' then i.proof in ('declined', 'refused')
                         when 'Failed' then i.proof = 'captured'
                         else i.proof <> 'left' end;
    update tekil.provider_attempt a
       set state = case when i.proof in ('not_sent', 'expired') then 'not_sent'
                        when i.http_status is null then 'no_answer' else 'answered' end,
           http_status = i.http_status, answer_body = left(i.answer, 65536), why = i.code, ended_at = moment
      from unnest(operation_ids, attempts, proofs, codes, http_statuses, answers)
           as i (operation_id, attempt, proof, code, http_status, answer)
     where i.operation_id = any (lost) and a.operation_id = i.operation_id and a.attempt = i.attempt
       and (a.state = 'open' or a.state = 'no_answer' and i.http_status is not null);
    update tekil.idempotency_record r set locked_until = moment
     where r.operation_id = any (lost) and r.status = 'Unknown' and r.lease_holder is null and r.locked_until > moment
$$;
revoke all on function tekil.keep_late_proofs(uuid[], uuid[], int[], text[], text[], text[], int[], text[], uuid, timestamptz) from public;
grant execute on function tekil.keep_late_proofs(uuid[], uuid[], int[], text[], text[], text[], int[], text[], uuid, timestamptz) to tekil_engine;
