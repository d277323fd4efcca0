-- needs: ledger/account_measure
-- Transactions that do not sum to zero, among those whose entries have settled since the accounts were last measured,
-- and among those known to be wrong. `looked_at` comes with each row; a row without a transaction carries it alone.
create or replace function tekil.unbalanced_transactions(measures tekil.account_measure[], horizon timestamptz, at_most int)
    returns table (transaction_id uuid, problem text, looked_at bigint)
    language sql stable
    set search_path = pg_catalog
as $$
    with wanted as (
        select x.transaction_id
          from unnest(measures) m
          join tekil.ledger_entry x on x.account_id = m.account_id and x.posted_at >= m.since and x.posted_at < horizon
         limit at_most),
    known as (
        select w.transaction_id from wanted w
         union
        select p.subject::uuid from tekil.books_problem p where p.kind = 'transaction'),
    bad as (
        select e.transaction_id, string_agg('sums to ' || e.total || ' ' || e.currency, ', ') as problem
          from (select x.transaction_id, x.currency, sum(x.amount_minor) as total
                  from known k join tekil.ledger_entry x on x.transaction_id = k.transaction_id
                 group by x.transaction_id, x.currency having sum(x.amount_minor) <> 0) e
         group by e.transaction_id)
    select b.transaction_id, b.problem, n.looked_at
      from (select count(*) as looked_at from known) n left join bad b on true
$$;
revoke all on function tekil.unbalanced_transactions(tekil.account_measure[], timestamptz, int) from public;
grant execute on function tekil.unbalanced_transactions(tekil.account_measure[], timestamptz, int) to tekil_engine;
