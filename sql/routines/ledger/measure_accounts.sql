-- needs: ledger/account_measure
-- What accounts say (balance, reserved) beside what their entries and active reservations say, all of one snapshot.
-- Entries are added to the account's checkpoint; for `whole` ones all of them are added up anew. `settled` is the sum up
-- to the horizon, from which the next check may go on.
create or replace function tekil.measure_accounts(accounts bigint[], whole bigint[], horizon timestamptz)
    returns setof tekil.account_measure
    language sql stable
    set search_path = pg_catalog
as $$
    select a.account_id, c.since,
           case a.normal_side when 'credit' then a.available_minor::numeric + a.reserved_minor
                else -(a.available_minor::numeric + a.reserved_minor) end,
           c.posted + e.fresh, e.fresh_entries, c.posted + e.settled, c.entries + e.settled_entries,
           a.reserved_minor::numeric, r.held
      from tekil.account a
      left join tekil.account_checkpoint p on p.account_id = a.account_id and a.account_id <> all (whole)
      cross join lateral (select coalesce(p.until, '-infinity') as since, coalesce(p.posted_minor, 0) as posted,
                                 coalesce(p.entries, 0) as entries) c
      cross join lateral (
           select coalesce(sum(x.amount_minor), 0) as fresh, count(*) as fresh_entries,
                  coalesce(sum(x.amount_minor) filter (where x.posted_at < horizon), 0) as settled,
                  count(*) filter (where x.posted_at < horizon) as settled_entries
             from tekil.ledger_entry x where x.account_id = a.account_id and x.posted_at >= c.since) e
      cross join lateral (
           select coalesce(sum(b.amount_minor), 0) as held from tekil.balance_reservation b
            where b.account_id = a.account_id and b.status = 'Active') r
     where a.account_id = any (accounts)
$$;
revoke all on function tekil.measure_accounts(bigint[], bigint[], timestamptz) from public;
grant execute on function tekil.measure_accounts(bigint[], bigint[], timestamptz) to tekil_engine;
