-- needs: payments/finish_row ledger/post_effects ledger/charge_effect ledger/release_effect
-- Writes the transitions of a batch: history, payment, what each end posts, the message to others.
create or replace function tekil.write_endings(changed tekil.finish_row[], instance uuid, moment timestamptz)
    returns void
    language plpgsql
    set search_path = pg_catalog
as $$
declare
    captured uuid[] := array(select c.operation_id from unnest(changed) c where c.becomes = 'Completed');
    failed uuid[] := array(select c.operation_id from unnest(changed) c where c.becomes = 'Failed');
begin
    insert into tekil.payment_state_change (operation_id, version, from_status, to_status, cause, instance_id, at)
    select c.operation_id, c.version, c.was, c.becomes, coalesce(c.code, c.proof), instance, moment
      from unnest(changed) c;

    update tekil.payment p
       set status = c.becomes, provider_reference = coalesce(c.reference, p.provider_reference),
           decline_code = c.decline_code, failure_code = c.failure_code,
           unknown_reason = case when c.proof in ('unknown', 'not_found') then coalesce(c.code, 'no_answer')
                                 else p.unknown_reason end,
           message_sequence = c.sequence, version = c.version, updated_at = moment, completed_at = c.completed_at
      from unnest(changed) c
     where p.operation_id = c.operation_id;

    if cardinality(failed) > 0 then
        delete from tekil.business_identity b using unnest(changed) c
         where c.becomes = 'Failed' and b.merchant_id = c.merchant_id and b.invoice_id = c.invoice_id
           and b.payment_type = c.payment_type and b.operation_id = c.operation_id;
    end if;

    if cardinality(captured) + cardinality(failed) > 0 then
        perform tekil.post_effects(array(
            select row (e.*)::tekil.effect_row
              from (select * from tekil.charge_effect(captured)
                    union all select * from tekil.release_effect(failed)) e),
            'charge', 'engine ' || instance, moment);
    end if;

    insert into tekil.outbox_message (operation_id, sequence, kind, body, next_at, created_at)
    select c.operation_id, c.sequence, 'Payment' || c.becomes, c.body, moment, moment from unnest(changed) c;
end
$$;
revoke all on function tekil.write_endings(tekil.finish_row[], uuid, timestamptz) from public;
grant execute on function tekil.write_endings(tekil.finish_row[], uuid, timestamptz) to tekil_engine;
