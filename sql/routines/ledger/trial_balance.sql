-- For each currency what stands on accounts that are credited normally and on those that are debited normally: equal
-- sums, or the books do not balance.
create or replace function tekil.trial_balance() returns table (currency text, credit numeric, debit numeric)
    language sql stable
    set search_path = pg_catalog
as $$
    select a.currency,
           coalesce(sum(a.available_minor::numeric + a.reserved_minor) filter (where a.normal_side = 'credit'), 0),
           coalesce(sum(a.available_minor::numeric + a.reserved_minor) filter (where a.normal_side = 'debit'), 0)
      from tekil.account a group by a.currency
$$;
revoke all on function tekil.trial_balance() from public;
grant execute on function tekil.trial_balance() to tekil_engine;
