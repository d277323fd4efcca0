-- needs: payments/accept_row payments/payment_json
-- Writes what accept has decided: every payment with its message and event, and for those that were not declined the
-- reservation. Each payer moves once, by the sum of what it pays for.
create or replace function tekil.write_acceptance(decided tekil.accept_row[], instance uuid, moment timestamptz)
    returns void
    language plpgsql
    set search_path = pg_catalog
as $$
begin
    with paid as (
        insert into tekil.payment (operation_id, merchant_id, idempotency_key, account_id, collection_account_id,
            provider_id, customer_id, payment_type, invoice_id, invoice_is_number, amount_minor, currency, description,
            status, decline_code, message_sequence, created_at, updated_at, completed_at)
        select d.operation_id, d.merchant_id, d.idempotency_key, d.account_id, d.collection_account_id, d.provider_id,
               d.customer_id, d.payment_type, d.invoice_id, d.invoice_is_number, d.amount_minor, d.currency,
               d.description, case when d.decline_code is null then 'Processing' else 'Failed' end, d.decline_code, 1,
               d.created_at, moment, case when d.decline_code is not null then moment end
          from unnest(decided) d),
    reserved as (
        insert into tekil.balance_reservation (operation_id, account_id, amount_minor, currency, status, created_at,
            expires_at)
        select d.operation_id, d.account_id, d.amount_minor, d.currency, 'Active', moment, moment + interval '24 hours'
          from unnest(decided) d where d.decline_code is null),
    messages as (
        insert into tekil.outbox_message (operation_id, sequence, kind, body, next_at, created_at)
        select d.operation_id, 1, case when d.decline_code is null then 'PaymentRequested' else 'PaymentFailed' end,
               tekil.payment_json(d.operation_id, case when d.decline_code is null then 'Processing' else 'Failed' end,
                   d.invoice_id, d.invoice_is_number, d.amount_minor, d.currency, d.exponent, null, d.decline_code,
                   null, d.created_at, case when d.decline_code is not null then moment end), moment, moment
          from unnest(decided) d),
    events as (
        insert into tekil.key_event (merchant_id, idempotency_key, operation_id, kind, instance_id, facts, at)
        select d.merchant_id, d.idempotency_key, d.operation_id,
               case when d.decline_code is null then 'accepted' else 'declined' end, instance,
               case when d.decline_code is null then '{}' else jsonb_build_object('code', d.decline_code) end, moment
          from unnest(decided) d)
    update tekil.account a
       set available_minor = a.available_minor - s.amount, reserved_minor = a.reserved_minor + s.amount
      from (select d.account_id, sum(d.amount_minor)::bigint as amount
              from unnest(decided) d where d.decline_code is null group by d.account_id) s
     where a.account_id = s.account_id;
end
$$;
revoke all on function tekil.write_acceptance(tekil.accept_row[], uuid, timestamptz) from public;
grant execute on function tekil.write_acceptance(tekil.accept_row[], uuid, timestamptz) to tekil_engine;
