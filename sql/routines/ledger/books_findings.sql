-- needs: ledger/account_measure ledger/unbalanced_transactions
-- What does not hold in what was measured. looked_at, of the row without a kind, is how many transactions were summed.
create or replace function tekil.books_findings(measures tekil.account_measure[], horizon timestamptz, totals jsonb)
    returns table (kind text, subject text, problem text, looked_at bigint)
    language sql stable
    set search_path = pg_catalog
as $$
    with unbalanced as materialized (select * from tekil.unbalanced_transactions(measures, horizon, 200000))
    select 'account', m.account_id::text, 'balance ' || m.balance || ', entries say ' || m.posted, 0::bigint
      from unnest(measures) m where m.balance <> m.posted
     union all
    select 'reserved', m.account_id::text, 'reserved ' || m.reserved || ', active reservations say ' || m.held, 0
      from unnest(measures) m where m.reserved <> m.held
     union all
    select 'transaction', u.transaction_id::text, u.problem, 0 from unbalanced u where u.transaction_id is not null
     union all
    select 'currency', t.currency, 'credits ' || t.credit || ', debits ' || t.debit, 0
      from jsonb_to_recordset(totals) as t (currency text, credit numeric, debit numeric) where t.credit <> t.debit
     union all
    select null, null, null, max(u.looked_at) from unbalanced u
$$;
revoke all on function tekil.books_findings(tekil.account_measure[], timestamptz, jsonb) from public;
grant execute on function tekil.books_findings(tekil.account_measure[], timestamptz, jsonb) to tekil_engine;
