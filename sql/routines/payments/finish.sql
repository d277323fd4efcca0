-- needs: ledger/post_effects ledger/charge_effect ledger/release_effect payments/payment_body
-- Ends attempts and, where the answer proves it, payments. Proofs: captured | declined | refused (a definite refusal
-- that is no decline: Failed) | unknown | not_sent (tried again later: the payment stays) | expired (no byte was ever
-- sent and the send deadline has passed: Failed not_sent; otherwise it changes nothing) | not_found (the provider was
-- asked: Failed not_charged where that is final at this provider and late enough to be, else as unknown) | left (an
-- Unknown one for which an engine can do nothing: given back for a day).
-- What comes too late, under a lease that was lost, books nothing here: it is kept as an event, and the payment is due
-- at once, so that whoever holds it now asks.
-- Outcomes: done | lost. Whoever ends a payment raises the lease epoch; Unknown gives the lease back.
create or replace function tekil.finish_payments(operation_ids uuid[], lease_epochs bigint[], attempts int[],
    proofs text[], references_ text[], codes text[], http_statuses int[], answers text[], instance uuid, asked boolean[])
    returns table (operation_id uuid, outcome text, status text, response_status smallint, response_body text)
    language plpgsql
    set search_path = pg_catalog
as $$
#variable_conflict use_column
declare
    held uuid[];
    captured uuid[];
    changed uuid[];
    failed uuid[];
    effects tekil.effect_row[];
    moment timestamptz;
begin
    select coalesce(array_agg(l.operation_id), '{}') into held
      from (select r.operation_id from unnest(operation_ids, lease_epochs, proofs) as i (operation_id, lease_epoch, proof)
              join tekil.idempotency_record r on r.operation_id = i.operation_id
             where r.status in ('Processing', 'Unknown')
               -- The lease's holder; or a late proof for an Unknown one that nobody holds: as good as an inquiry's answer.
               and (r.lease_epoch = i.lease_epoch
                    or i.proof in ('captured', 'declined') and r.status = 'Unknown' and r.lease_holder is null)
             order by r.merchant_id, r.idempotency_key for no key update of r) l;
    perform from tekil.payment p where p.operation_id = any (held) order by p.operation_id for no key update;
    moment := clock_timestamp();

    update tekil.provider_attempt a
       set state = case when i.proof in ('not_sent', 'expired') then 'not_sent'
                        when i.http_status is null then 'no_answer' else 'answered' end,
           http_status = i.http_status, answer_body = left(i.answer, 65536), why = i.code, ended_at = moment
      from unnest(operation_ids, attempts, proofs, codes, http_statuses, answers)
           as i (operation_id, attempt, proof, code, http_status, answer)
     where i.operation_id = any (held) and a.operation_id = i.operation_id and a.attempt = i.attempt
       and (a.state = 'open' or a.state = 'no_answer' and i.http_status is not null);

    select coalesce(array_agg(i.operation_id) filter (where i.proof = 'captured'), '{}'),
           coalesce(array_agg(i.operation_id) filter (where i.proof in ('declined', 'refused')
               or i.proof = 'expired' and p.created_at + v.send_deadline <= moment
                  and not exists (select from tekil.provider_attempt a
                                   where a.operation_id = i.operation_id and a.state <> 'not_sent')
               or i.proof = 'not_found' and v.not_found_final
                  and (select max(a.send_before) from tekil.provider_attempt a where a.operation_id = i.operation_id)
                      + make_interval(secs => v.timeout_ms / 1000.0) + v.inquiry_grace < moment), '{}')
      into captured, failed
      from unnest(operation_ids, proofs) as i (operation_id, proof)
      join tekil.payment p on p.operation_id = i.operation_id
      join tekil.provider v on v.provider_id = p.provider_id
     where i.operation_id = any (held);

    insert into tekil.payment_state_change (operation_id, version, from_status, to_status, cause, instance_id, at)
    select p.operation_id, p.version + 1, p.status, n.status, coalesce(i.code, i.proof), instance, moment
      from unnest(operation_ids, proofs, codes) as i (operation_id, proof, code)
      join tekil.payment p on p.operation_id = i.operation_id
      cross join lateral (select case when i.proof = 'captured' then 'Completed'
                                      when i.operation_id = any (failed) then 'Failed'
                                      when i.proof in ('unknown', 'not_found') then 'Unknown' end as status) n
     where i.operation_id = any (held) and n.status is not null and n.status <> p.status;

    with done as (
    update tekil.payment p
       set status = case when i.operation_id = any (captured) then 'Completed'
                         when i.operation_id = any (failed) then 'Failed' else 'Unknown' end,
           provider_reference = coalesce(i.reference, p.provider_reference),
           decline_code = case when i.proof = 'declined' then coalesce(i.code, 'declined') end,
           failure_code = case when i.operation_id = any (failed) then
               case i.proof when 'expired' then 'not_sent' when 'refused' then 'provider_refused'
                            when 'not_found' then 'not_charged' end end,
           unknown_reason = case when i.proof in ('unknown', 'not_found') then coalesce(i.code, 'no_answer')
                                 else p.unknown_reason end,
           message_sequence = p.message_sequence + 1, version = p.version + 1, updated_at = moment,
           completed_at = case when i.operation_id = any (captured) or i.operation_id = any (failed) then moment end
      from unnest(operation_ids, proofs, references_, codes) as i (operation_id, proof, reference, code)
     where i.operation_id = any (held) and p.operation_id = i.operation_id
       and (i.operation_id = any (captured) or i.operation_id = any (failed)
            or i.proof in ('unknown', 'not_found') and p.status = 'Processing')
    returning p.operation_id)
    select coalesce(array_agg(done.operation_id), '{}') into changed from done;

    -- What an Unknown one learns without a proof, such as a charge of other money, replaces what was known before.
    update tekil.payment p
       set unknown_reason = i.code, provider_reference = i.reference, version = p.version + 1, updated_at = moment
      from unnest(operation_ids, proofs, references_, codes) as i (operation_id, proof, reference, code)
     where i.operation_id = any (held) and i.operation_id <> all (changed) and p.operation_id = i.operation_id
       and i.proof = 'unknown' and i.reference is not null and p.status = 'Unknown'
       and (p.unknown_reason, p.provider_reference) is distinct from (i.code, i.reference);

    delete from tekil.business_identity b using tekil.payment p
     where p.operation_id = any (failed) and b.merchant_id = p.merchant_id and b.invoice_id = p.invoice_id
       and b.payment_type = p.payment_type and b.operation_id = p.operation_id;

    if cardinality(captured) + cardinality(failed) > 0 then
        select array_agg(row (e.*)::tekil.effect_row) into effects
          from (select * from tekil.charge_effect(captured) union all select * from tekil.release_effect(failed)) e;
        perform tekil.post_effects(effects, 'charge', 'engine ' || instance, moment);
    end if;

    insert into tekil.outbox_message (operation_id, sequence, kind, body, next_at, created_at)
    select p.operation_id, p.message_sequence, 'Payment' || p.status,
           tekil.payment_body(p.operation_id, p.status, p.invoice_id, p.invoice_is_number, p.amount_minor, p.currency,
               p.provider_reference, p.decline_code, p.failure_code, p.created_at, p.completed_at), moment, moment
      from tekil.payment p where p.operation_id = any (changed);

    insert into tekil.key_event (merchant_id, idempotency_key, operation_id, kind, instance_id, facts, at)
    select p.merchant_id, p.idempotency_key, p.operation_id,
           case when i.asked then 'inquiry' when i.proof in ('not_sent', 'expired') then 'not_sent'
                when i.http_status is null then 'no_answer' else 'answer' end, instance,
           jsonb_strip_nulls(jsonb_build_object('attempt', i.attempt, 'proof', i.proof, 'httpStatus', i.http_status,
               'code', i.code, 'providerReference', i.reference)), moment
      from unnest(operation_ids, attempts, proofs, references_, codes, http_statuses, asked)
           as i (operation_id, attempt, proof, reference, code, http_status, asked)
      join tekil.payment p on p.operation_id = i.operation_id
     where i.operation_id = any (held) and i.proof <> 'left';

    insert into tekil.key_event (merchant_id, idempotency_key, operation_id, kind, instance_id, facts, at)
    select p.merchant_id, p.idempotency_key, p.operation_id, 'lease_lost', instance,
           jsonb_strip_nulls(jsonb_build_object('attempt', i.attempt, 'proof', i.proof, 'httpStatus', i.http_status,
               'code', i.code, 'providerReference', i.reference)), moment
      from unnest(operation_ids, attempts, proofs, references_, codes, http_statuses)
           as i (operation_id, attempt, proof, reference, code, http_status)
      join tekil.payment p on p.operation_id = i.operation_id
     where i.operation_id <> all (held)
       -- The same end reported twice is no news, nor is silence about a payment that has ended; a contradiction is.
       and case p.status when 'Completed' then i.proof in ('declined', 'refused')
                         when 'Failed' then i.proof = 'captured'
                         else i.proof <> 'left' end;
    update tekil.idempotency_record r set locked_until = moment
     where r.operation_id = any (operation_ids) and r.operation_id <> all (held) and r.status = 'Unknown'
       and r.lease_holder is null and r.locked_until > moment;

    -- An end closes the record; what is Unknown is given back, due again after a pause that grows with each try.
    update tekil.idempotency_record r
       set status = p.status, completed_at = p.completed_at,
           response_status = case p.status when 'Completed' then 201 when 'Failed' then 402 end,
           response_body = case when p.completed_at is not null then m.body end,
           lease_holder = null,
           locked_until = case when p.completed_at is null then moment + case
               when i.proof = 'left' or not (v.can_inquiry or v.can_idempotent) then interval '1 day'
               when r.status = 'Processing' then interval '1 second'
               else least(interval '1 second' * 2 ^ least(r.recovery_tries, 10), interval '10 minutes') end end,
           recovery_tries = case when r.status = 'Unknown' then r.recovery_tries + 1 else 0 end,
           lease_epoch = r.lease_epoch + 1
      from unnest(operation_ids, proofs) as i (operation_id, proof)
      join tekil.payment p on p.operation_id = i.operation_id
      join tekil.provider v on v.provider_id = p.provider_id
      join tekil.outbox_message m on m.operation_id = p.operation_id and m.sequence = p.message_sequence
     where p.operation_id = any (held) and r.operation_id = p.operation_id
       and (p.completed_at is not null or p.status = 'Unknown');
    perform tekil.count_transitions('finish', '{}', changed, instance, moment);

    return query
    select i.operation_id, case when i.operation_id = any (held) then 'done' else 'lost' end, r.status,
           r.response_status, r.response_body
      from unnest(operation_ids) as i (operation_id)
      left join tekil.idempotency_record r on r.operation_id = i.operation_id;
end
$$;
revoke all on function tekil.finish_payments(uuid[], bigint[], int[], text[], text[], text[], int[], text[], uuid, boolean[]) from public;
grant execute on function tekil.finish_payments(uuid[], bigint[], int[], text[], text[], text[], int[], text[], uuid, boolean[]) to tekil_engine;
