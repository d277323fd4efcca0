-- Every account's available + reserved is what its entries say. A row names what does not hold.
create or replace function tekil.verify_balances() returns table (subject text, problem text)
    language sql stable
    set search_path = pg_catalog
as $$
    select 'account ' || a.account_id,
           'balance ' || a.available_minor + a.reserved_minor || ', entries say ' || coalesce(e.posted, 0)
      from tekil.account a
      left join (select x.account_id, sum(x.amount_minor) as posted from tekil.ledger_entry x group by x.account_id) e
        on e.account_id = a.account_id
     where a.available_minor::numeric + a.reserved_minor
        <> case a.normal_side when 'credit' then coalesce(e.posted, 0) else -coalesce(e.posted, 0) end
$$;
revoke all on function tekil.verify_balances() from public;
grant execute on function tekil.verify_balances() to tekil_engine;
