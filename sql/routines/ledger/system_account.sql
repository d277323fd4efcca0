-- The system account of a purpose and currency, opened when first needed.
create or replace function tekil.system_account(purpose text, currency text, provider_id bigint) returns bigint
    language plpgsql
    set search_path = pg_catalog
as $$
#variable_conflict use_column
declare
    found_id bigint;
begin
    insert into tekil.account (kind, purpose, owner_name, currency, normal_side, may_overdraw, provider_id)
    values ('system', system_account.purpose, system_account.purpose, system_account.currency,
            case when system_account.purpose = 'suspense' then 'credit' else 'debit' end, true, system_account.provider_id)
    on conflict do nothing;
    select a.account_id into strict found_id from tekil.account a
     where a.kind = 'system' and a.purpose = system_account.purpose and a.currency = system_account.currency
       and coalesce(a.provider_id, 0) = coalesce(system_account.provider_id, 0);
    return found_id;
end
$$;
revoke all on function tekil.system_account(text, text, bigint) from public;
