-- An operation that is about to be sent, as tekil.open_attempts carries it from its lock to its attempt.
do $$
begin
    if to_regtype('tekil.attempt_row') is null then
        create type tekil.attempt_row as (operation_id uuid, lease_epoch bigint, request_body text, merchant_id bigint,
            idempotency_key text, locked_until timestamptz);
    end if;
end
$$;
