-- Opens a customer's or merchant's account. System accounts open themselves when first needed.
create or replace function tekil.open_account(currency text, owner_name text, kind text) returns bigint
    language sql
    set search_path = pg_catalog
as $$
    insert into tekil.account (kind, purpose, owner_name, currency, normal_side)
    values (kind, 'general', owner_name, currency, 'credit')
    returning account_id
$$;
revoke all on function tekil.open_account(text, text, text) from public;
