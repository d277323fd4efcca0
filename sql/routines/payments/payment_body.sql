-- needs: payments/payment_json
-- The JSON that a merchant gets for a payment: one text for the first answer, its replay and later queries.
create or replace function tekil.payment_body(operation_id uuid, status text, invoice_id text, invoice_is_number boolean,
    amount_minor bigint, currency text, provider_reference text, decline_code text, failure_code text,
    created_at timestamptz, completed_at timestamptz) returns text
    language sql stable parallel safe
    set search_path = pg_catalog
as $$
    select tekil.payment_json(operation_id, status, invoice_id, invoice_is_number, amount_minor, currency,
        (select c.exponent from tekil.currency c where c.code = currency), provider_reference, decline_code,
        failure_code, created_at, completed_at)
$$;
revoke all on function tekil.payment_body(uuid, text, text, boolean, bigint, text, text, text, text, timestamptz, timestamptz) from public;
grant execute on function tekil.payment_body(uuid, text, text, boolean, bigint, text, text, text, text, timestamptz, timestamptz) to tekil_engine;
