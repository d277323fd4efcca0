-- Every ledger transaction has entries, and they sum to zero in each currency. A row names what does not hold.
create or replace function tekil.verify_zero_sums() returns table (subject text, problem text)
    language sql stable
    set search_path = pg_catalog
as $$
    select 'transaction ' || e.transaction_id, 'sums to ' || sum(e.amount_minor) || ' ' || e.currency
      from tekil.ledger_entry e group by e.transaction_id, e.currency having sum(e.amount_minor) <> 0
    union all
    select 'transaction ' || t.transaction_id, 'has no entries'
      from tekil.ledger_transaction t
     where not exists (select from tekil.ledger_entry e where e.transaction_id = t.transaction_id)
$$;
revoke all on function tekil.verify_zero_sums() from public;
grant execute on function tekil.verify_zero_sums() to tekil_engine;
