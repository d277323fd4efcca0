-- needs: console/version
-- The checks of the books of the last day, and how far the pass over all accounts has come.
create view console.books_check as
select b.check_id, b.ended_at, (extract(epoch from b.ended_at) * 1000000)::bigint as ended_us,
       (extract(epoch from b.ended_at - b.started_at) * 1000000)::bigint as took_us, b.accounts, b.entries, b.transactions,
       b.problems, b.totals, (extract(epoch from t.pass_ended_at) * 1000000)::bigint as pass_ended_us
  from tekil.books_check b cross join tekil.books_turn t;
grant select on console.books_check to tekil_support, tekil_auditor, tekil_admin;
