-- needs: ledger/system_account
-- Credits an account from funding, once for each client id. Outcomes: done | repeated (the same again: nothing moves)
-- | other (the id was used for something else) | no_account | closed.
create or replace function tekil.fund_account(transaction_id uuid, account_id bigint, amount_minor bigint, posted_by text)
    returns text
    language plpgsql
    set search_path = pg_catalog
as $$
#variable_conflict use_column
declare
    target tekil.account;
    funding bigint;
    fresh int;
    moment timestamptz := clock_timestamp();
begin
    select * into target from tekil.account a where a.account_id = fund_account.account_id and a.kind <> 'system';
    if not found then
        return 'no_account';
    end if;
    if target.status <> 'open' then
        return 'closed';
    end if;
    insert into tekil.ledger_transaction (transaction_id, kind, posted_by, posted_at)
    values (fund_account.transaction_id, 'funding', fund_account.posted_by, moment) on conflict do nothing;
    get diagnostics fresh = row_count;
    if fresh = 0 then
        return case when exists (select from tekil.ledger_transaction t
                                   join tekil.ledger_entry e on e.transaction_id = t.transaction_id
                                  where t.transaction_id = fund_account.transaction_id and t.kind = 'funding'
                                    and e.account_id = fund_account.account_id and e.amount_minor = fund_account.amount_minor)
                    then 'repeated' else 'other' end;
    end if;
    funding := tekil.system_account('funding', target.currency, null);
    perform from tekil.account a where a.account_id in (target.account_id, funding) order by a.account_id for no key update;
    select * into target from tekil.account a where a.account_id = target.account_id;
    if target.status <> 'open' then
        raise exception 'account % is closed', target.account_id using errcode = 'P0001';
    end if;
    update tekil.account a set available_minor = a.available_minor + fund_account.amount_minor
     where a.account_id in (target.account_id, funding);
    insert into tekil.ledger_entry (transaction_id, line, account_id, amount_minor, currency, posted_at)
    values (fund_account.transaction_id, 1, funding, -fund_account.amount_minor, target.currency, moment),
           (fund_account.transaction_id, 2, target.account_id, fund_account.amount_minor, target.currency, moment);
    return 'done';
end
$$;
revoke all on function tekil.fund_account(uuid, bigint, bigint, text) from public;
