-- needs: cases/open_cases payments/utc_text
-- Which outcomes of a batch are cases, after they were booked (or found lost), and opens them.
-- Whether a send was late is told from the attempt's own rows: it had been written at started_at + sent_after_us, and
-- that was not before send_before, or not before another engine took the payment over.
create or replace function tekil.tell_cases(operation_ids uuid[], attempts int[], proofs text[], references_ text[],
    codes text[], http_statuses int[], answers text[], instance uuid, asked boolean[], sent_after_us bigint[],
    sent_late boolean[], booked_ids uuid[], booked text[]) returns void
    language plpgsql
    set search_path = pg_catalog
as $$
declare
    kinds text[];
    subjects uuid[];
    truths text[];
    told jsonb[];
begin
    with input as (
        select i.*, p.status, p.provider_reference, p.merchant_id, p.idempotency_key, b.outcome, a.started_at, a.send_before,
               a.started_at + i.sent_after_us * interval '1 microsecond' as sent_at
          from unnest(operation_ids, attempts, proofs, references_, codes, http_statuses, answers, asked, sent_after_us, sent_late)
               as i (operation_id, attempt, proof, reference, code, http_status, answer, asked, sent_after_us, sent_late)
          join unnest(booked_ids, booked) as b (operation_id, outcome) on b.operation_id = i.operation_id
          join tekil.payment p on p.operation_id = i.operation_id
          left join tekil.provider_attempt a on a.operation_id = i.operation_id and a.attempt = i.attempt),
    found as (
        select i.*, 'late_send' as kind, 'attempt ' || i.attempt as truth from input i
         where i.sent_late
            or exists (
               select from tekil.key_event k
                where k.merchant_id = i.merchant_id and k.idempotency_key = i.idempotency_key and k.kind = 'takeover'
                  and k.operation_id = i.operation_id and k.at >= i.started_at and k.at <= i.sent_at)
        union all
        select i.*, 'late_capture', coalesce(i.reference, '') from input i
         where i.outcome = 'lost' and i.status = 'Failed' and (i.proof = 'captured' or i.code = 'amount_mismatch')
        union all
        select i.*, 'amount_mismatch', coalesce(i.reference, '') from input i
         where i.code = 'amount_mismatch' and i.status <> 'Failed'
        union all
        select i.*, 'late_decline', i.proof from input i
         where i.outcome = 'lost' and i.status = 'Completed' and i.proof in ('declined', 'refused')
        union all
        select i.*, 'duplicate_charge', i.reference from input i
         where i.outcome = 'lost' and i.status = 'Completed' and i.proof = 'captured'
           and i.reference <> i.provider_reference
        union all
        select i.*, 'cannot_post', coalesce(i.reference, '') from input i
         where i.proof = 'unknown' and i.code = 'posting_failed' and i.outcome = 'done')
    select array_agg(f.kind), array_agg(f.operation_id), array_agg(f.truth),
           array_agg(jsonb_strip_nulls(jsonb_build_object('attempt', f.attempt, 'proof', f.proof, 'code', f.code,
               'httpStatus', f.http_status, 'providerReference', f.reference, 'answer', left(f.answer, 2000),
               'asked', nullif(f.asked, false),
               'sendBefore', case when f.kind = 'late_send' then tekil.utc_text(f.send_before) end,
               'sentAt', case when f.kind = 'late_send' then tekil.utc_text(f.sent_at) end)))
      into kinds, subjects, truths, told
      from found f;
    if kinds is not null then
        perform tekil.open_cases(kinds, subjects, truths, told, instance);
    end if;
end
$$;
revoke all on function tekil.tell_cases(uuid[], int[], text[], text[], text[], int[], text[], uuid, boolean[], bigint[],
    boolean[], uuid[], text[]) from public;
grant execute on function tekil.tell_cases(uuid[], int[], text[], text[], text[], int[], text[], uuid, boolean[], bigint[],
    boolean[], uuid[], text[]) to tekil_engine;
