-- needs: overview/counted_payments
-- The counters say what the payments are, by state and currency, in number and in money. A row names what does not hold.
create or replace function tekil.verify_counters() returns table (subject text, problem text)
    language sql stable
    set search_path = pg_catalog
as $$
    select 'state ' || coalesce(p.status, c.status) || ' ' || coalesce(p.currency, c.currency),
           coalesce(p.payments, 0) || ' payments of ' || coalesce(p.amount_minor, 0) || ', counters say '
               || coalesce(c.payments, 0) || ' of ' || coalesce(c.amount_minor, 0)
      from (select x.status, x.currency, count(*) as payments, sum(x.amount_minor) as amount_minor
              from tekil.payment x group by x.status, x.currency) p
      full join tekil.counted_payments c on c.status = p.status and c.currency = p.currency
     where coalesce(p.payments, 0) <> coalesce(c.payments, 0) or coalesce(p.amount_minor, 0) <> coalesce(c.amount_minor, 0)
$$;
revoke all on function tekil.verify_counters() from public;
grant execute on function tekil.verify_counters() to tekil_engine;
