-- needs: payments/finish payments/tell_cases
-- tekil.finish_payments, and the cases that its outcomes are: the books and what people must be shown of it commit
-- together. sent_after_us counts from the attempt's start to the moment its first byte had been written, by the sender's
-- clock; sent_late where that sender found it to be at or after send_before.
create or replace function tekil.book_outcomes(operation_ids uuid[], lease_epochs bigint[], attempts int[],
    proofs text[], references_ text[], codes text[], http_statuses int[], answers text[], instance uuid, asked boolean[],
    sent_after_us bigint[], sent_late boolean[])
    returns table (operation_id uuid, outcome text, status text, response_status smallint, response_body text)
    language plpgsql
    set search_path = pg_catalog
as $$
#variable_conflict use_column
declare
    booked_ids uuid[];
    booked text[];
    statuses text[];
    response_statuses smallint[];
    bodies text[];
begin
    select array_agg(f.operation_id), array_agg(f.outcome), array_agg(f.status), array_agg(f.response_status),
           array_agg(f.response_body)
      into booked_ids, booked, statuses, response_statuses, bodies
      from tekil.finish_payments(operation_ids, lease_epochs, attempts, proofs, references_, codes, http_statuses, answers,
               instance, asked) f;

    -- Most batches have nothing to tell. Who ended a payment without its lease stands two epochs back: somebody had taken
    -- it over, and the end itself raised the epoch once more.
    if 'lost' = any (booked) or true = any (sent_late) or codes && array['amount_mismatch', 'posting_failed']
       or exists (select from unnest(operation_ids, lease_epochs) as i (operation_id, lease_epoch)
                    join tekil.idempotency_record r on r.operation_id = i.operation_id
                   where r.lease_epoch > i.lease_epoch + 1) then
        perform tekil.tell_cases(operation_ids, attempts, proofs, references_, codes, http_statuses, answers, instance, asked,
                    sent_after_us, sent_late, booked_ids, booked);
    end if;
    -- What failed although it may have been captured is asked for some more times.
    if proofs && array['not_found', 'expired', 'declined'] then
        insert into tekil.late_inquiry (operation_id, provider_id, due_at)
        select p.operation_id, p.provider_id, clock_timestamp() + interval '10 seconds'
          from unnest(booked_ids, booked, statuses) as b (operation_id, outcome, status)
          join tekil.payment p on p.operation_id = b.operation_id
          join tekil.provider v on v.provider_id = p.provider_id and v.can_inquiry
         where b.outcome = 'done' and b.status = 'Failed'
           and (p.failure_code = 'not_charged'
                or p.failure_code = 'not_sent' and exists (select from tekil.provider_attempt a where a.operation_id = p.operation_id)
                or p.decline_code is not null
                   and (select count(*) from tekil.provider_attempt a
                         where a.operation_id = p.operation_id and a.state <> 'not_sent') > 1)
        on conflict do nothing;
    end if;
    return query select * from unnest(booked_ids, booked, statuses, response_statuses, bodies);
end
$$;
revoke all on function tekil.book_outcomes(uuid[], bigint[], int[], text[], text[], text[], int[], text[], uuid, boolean[],
    bigint[], boolean[]) from public;
grant execute on function tekil.book_outcomes(uuid[], bigint[], int[], text[], text[], text[], int[], text[], uuid, boolean[],
    bigint[], boolean[]) to tekil_engine;
