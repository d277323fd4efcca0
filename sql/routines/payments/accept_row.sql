-- A claim on its way through tekil.accept_payments: what its record asks for, and what is decided of it.
-- Carried from statement to statement, so that none looks its rows up in an array again: that is quadratic.
do $$
begin
    if to_regtype('tekil.accept_row') is null then
        create type tekil.accept_row as (arrival bigint, operation_id uuid, merchant_id bigint, idempotency_key text,
            provider_id bigint, account_id bigint, collection_account_id bigint, customer_id text, payment_type text,
            invoice_id text, invoice_is_number boolean, amount_minor bigint, currency text, exponent int,
            description text, created_at timestamptz, decline_code text);
    end if;
end
$$;
