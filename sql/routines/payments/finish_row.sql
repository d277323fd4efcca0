-- A payment on its way through tekil.finish_payments: what came back of its attempt, what it was, what it becomes.
-- Carried from statement to statement, so that none looks its rows up in an array again: that is quadratic.
do $$
begin
    if to_regtype('tekil.finish_row') is null then
        create type tekil.finish_row as (arrival bigint, operation_id uuid, merchant_id bigint, idempotency_key text,
            attempt int, proof text, reference text, code text, http_status int, asked boolean, payment_type text,
            invoice_id text, was text, becomes text, version bigint, sequence int, decline_code text, failure_code text,
            completed_at timestamptz, can_ask boolean, body text);
    end if;
end
$$;
