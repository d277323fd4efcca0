-- needs: payments/accept_row
-- Ends the payments that accept has declined: their history, their record with the stored answer, their invoice free.
create or replace function tekil.write_declines(declined tekil.accept_row[], instance uuid, moment timestamptz)
    returns void
    language plpgsql
    set search_path = pg_catalog
as $$
begin
    insert into tekil.payment_state_change (operation_id, version, from_status, to_status, cause, instance_id, at)
    select d.operation_id, 1, 'Processing', 'Failed', d.decline_code, instance, moment from unnest(declined) d;

    delete from tekil.business_identity b using unnest(declined) d
     where b.merchant_id = d.merchant_id and b.invoice_id = d.invoice_id and b.payment_type = d.payment_type
       and b.operation_id = d.operation_id;

    update tekil.idempotency_record r
       set status = 'Failed', response_status = 402, completed_at = moment, locked_until = null, lease_holder = null,
           lease_epoch = r.lease_epoch + 1, response_body = m.body
      from unnest(declined) d
      join tekil.outbox_message m on m.operation_id = d.operation_id and m.sequence = 1
     where r.operation_id = d.operation_id;
end
$$;
revoke all on function tekil.write_declines(tekil.accept_row[], uuid, timestamptz) from public;
grant execute on function tekil.write_declines(tekil.accept_row[], uuid, timestamptz) to tekil_engine;
