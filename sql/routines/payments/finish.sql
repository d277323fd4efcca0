-- needs: payments/lock_endings payments/decide_endings payments/write_endings payments/close_records payments/keep_late_proofs overview/count_transitions
-- Ends attempts and, where the answer proves it, payments. Proofs: captured | declined | refused (a definite refusal
-- that is no decline: Failed) | unknown | not_sent (tried again later: the payment stays) | expired (no byte was ever
-- sent and the send deadline has passed: Failed not_sent; otherwise it changes nothing) | not_found (the provider was
-- asked: Failed not_charged where that is final at this provider and late enough to be, else as unknown) | left (an
-- Unknown one for which an engine can do nothing: given back for a day).
-- What comes too late, under a lease that was lost, and proves no end, books nothing here: it is kept as an event, and the
-- payment is due at once, so that who takes it next asks.
-- Locks: records, payments, reservations, accounts, each in key order.
-- Outcomes: done | lost. Whoever ends a payment raises the lease epoch; Unknown gives the lease back.
create or replace function tekil.finish_payments(operation_ids uuid[], lease_epochs bigint[], attempts int[],
    proofs text[], references_ text[], codes text[], http_statuses int[], answers text[], instance uuid, asked boolean[])
    returns table (operation_id uuid, outcome text, status text, response_status smallint, response_body text)
    language plpgsql
    set search_path = pg_catalog
as $$
#variable_conflict use_column
declare
    held tekil.finish_row[] := tekil.lock_endings(operation_ids, lease_epochs, attempts, proofs, references_, codes,
                                                  http_statuses, asked);
    moment timestamptz := clock_timestamp();
    decided tekil.finish_row[];
    changed tekil.finish_row[];
    lost uuid[];
begin
    update tekil.provider_attempt a
       set state = case when h.proof in ('not_sent', 'expired') then 'not_sent'
                        when h.http_status is null then 'no_answer' else 'answered' end,
           http_status = h.http_status, answer_body = left(answers[h.arrival], 65536), why = h.code, ended_at = moment
      from unnest(held) h
     where a.operation_id = h.operation_id and a.attempt = h.attempt
       and (a.state = 'open' or a.state = 'no_answer' and h.http_status is not null);

    decided := tekil.decide_endings(held, moment);
    changed := array(select d from unnest(decided) d where d.becomes <> d.was);
    -- The batch's transitions: each of `changed` went from `was` to `becomes`.
    if cardinality(changed) > 0 then
        perform tekil.write_endings(changed, instance, moment);
    end if;

    -- What an Unknown one learns without a proof, such as a charge of other money, replaces what was known before.
    if cardinality(changed) < cardinality(decided) then
        update tekil.payment p
           set unknown_reason = d.code, provider_reference = d.reference, version = d.version, updated_at = moment
          from unnest(decided) d
         where p.operation_id = d.operation_id and d.was = 'Unknown' and d.becomes = 'Unknown' and d.proof = 'unknown'
           and d.reference is not null
           and (p.unknown_reason, p.provider_reference) is distinct from (d.code, d.reference);
    end if;

    perform tekil.close_records(decided, instance, moment);
    perform tekil.count_transitions('finish', '{}', array(select c.operation_id from unnest(changed) c), instance, moment);
    return query
    select d.operation_id, 'done', coalesce(d.becomes, d.was),
           case d.becomes when 'Completed' then 201::smallint when 'Failed' then 402::smallint end,
           case when d.completed_at is not null then d.body end
      from unnest(decided) d;

    if cardinality(decided) < cardinality(operation_ids) then
        lost := array(select i from unnest(operation_ids) i
                       where i <> all (array(select d.operation_id from unnest(decided) d)));
        perform tekil.keep_late_proofs(lost, operation_ids, attempts, proofs, references_, codes, http_statuses,
            answers, instance, moment);
        return query
        select i, 'lost', r.status, r.response_status, r.response_body
          from unnest(lost) i left join tekil.idempotency_record r on r.operation_id = i;
    end if;
end
$$;
revoke all on function tekil.finish_payments(uuid[], bigint[], int[], text[], text[], text[], int[], text[], uuid, boolean[]) from public;
grant execute on function tekil.finish_payments(uuid[], bigint[], int[], text[], text[], text[], int[], text[], uuid, boolean[]) to tekil_engine;
