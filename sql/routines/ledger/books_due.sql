-- The accounts that a check looks at: the next ones of the pass over all accounts (`in_pass`), those of payments that came
-- since the last check, and those known to be wrong. `whole` ones are added up from their first entry on: those of the
-- pass, but one with many entries once an hour only, and one with very many never (tekil.verify does that).
create or replace function tekil.books_due(turn tekil.books_turn)
    returns table (account_id bigint, whole boolean, in_pass boolean)
    language sql stable
    set search_path = pg_catalog
as $$
    with next as (
        select a.account_id, coalesce(c.entries, 0) as entries, c.whole_at
          from (select x.account_id from tekil.account x where x.account_id > turn.cursor_account
                 order by x.account_id limit 500) a
          left join tekil.account_checkpoint c on c.account_id = a.account_id),
    slice as (
        select n.account_id, n.entries <= 50000
                   or n.entries <= 5000000 and n.whole_at < clock_timestamp() - interval '1 hour' as whole,
               coalesce(sum(n.entries) over (order by n.account_id rows between unbounded preceding and 1 preceding), 0)
                   as before
          from next n),
    recent as (
        select p.account_id, p.collection_account_id from tekil.payment p
         where p.created_at >= turn.touched_from order by p.created_at desc limit 200000),
    touched as (
        select r.account_id from recent r union select r.collection_account_id from recent r
         union
        select p.subject::bigint from tekil.books_problem p where p.kind in ('account', 'reserved')
        except
        select s.account_id from slice s where s.before <= 50000)
    select s.account_id, s.whole, true from slice s where s.before <= 50000
     union all
    (select t.account_id, false, false from touched t limit 5000)
$$;
revoke all on function tekil.books_due(tekil.books_turn) from public;
grant execute on function tekil.books_due(tekil.books_turn) to tekil_engine;
