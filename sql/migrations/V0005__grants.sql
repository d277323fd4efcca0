-- What the engine's own role may do to each table; nobody but it and the owner touches a table directly.
revoke all on schema tekil from public;
grant usage on schema tekil to tekil_engine;
grant select on all tables in schema tekil to tekil_engine;
grant insert, update on tekil.account, tekil.engine_instance, tekil.payment,
    tekil.balance_reservation, tekil.provider_attempt, tekil.outbox_message to tekil_engine;
grant insert, update, delete on tekil.idempotency_record, tekil.business_identity to tekil_engine;
grant insert on tekil.payment_state_change, tekil.key_event, tekil.ledger_transaction, tekil.ledger_entry to tekil_engine;
revoke all on function tekil.amount_text(bigint, int), tekil.refuse_change(), tekil.check_entries() from public;
grant execute on function tekil.amount_text(bigint, int) to tekil_engine;
-- The role that owns tekil.make_operator writes the operator's row.
grant usage on schema tekil to tekil_login_maker;
grant insert on tekil.operator to tekil_login_maker;
grant create on schema tekil to tekil_login_maker;
