-- Every account's reserved sum is that of its active reservations, and each goes with its payment's state. A row names what does not hold.
create or replace function tekil.verify_reservations() returns table (subject text, problem text)
    language sql stable
    set search_path = pg_catalog
as $$
    select 'account ' || a.account_id, 'reserved ' || a.reserved_minor || ', active reservations say ' || coalesce(r.held, 0)
      from tekil.account a
      left join (select x.account_id, sum(x.amount_minor) as held from tekil.balance_reservation x
                  where x.status = 'Active' group by x.account_id) r on r.account_id = a.account_id
     where a.reserved_minor <> coalesce(r.held, 0)
    union all
    select 'payment ' || p.operation_id, p.status || ' with reservation ' || coalesce(r.status, 'missing')
      from tekil.payment p left join tekil.balance_reservation r on r.operation_id = p.operation_id
     where coalesce(r.status, 'none') <> all (case p.status when 'Completed' then array['Finalized']
                when 'Failed' then array['Released', 'none'] else array['Active'] end)
        or r.amount_minor <> p.amount_minor or r.account_id <> p.account_id
$$;
revoke all on function tekil.verify_reservations() from public;
grant execute on function tekil.verify_reservations() to tekil_engine;
