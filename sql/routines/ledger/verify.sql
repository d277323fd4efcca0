-- needs: ledger/verify_balances ledger/verify_zero_sums ledger/verify_reservations ledger/verify_single_effect ledger/verify_transitions ledger/verify_counters cases/verify_cases
-- Every check of the books, one row a problem; a check that holds gives one row without a subject.
create or replace function tekil.verify() returns table (check_name text, subject text, problem text)
    language sql stable
    set search_path = pg_catalog
as $$
    select c.name, v.subject, v.problem
      from (values (1, 'balances'), (2, 'zero sums'), (3, 'reservations'), (4, 'single effect'), (5, 'transitions'),
                   (6, 'counters'), (7, 'cases')) c (n, name)
      left join (select 1 as n, * from tekil.verify_balances()
                 union all select 2, * from tekil.verify_zero_sums()
                 union all select 3, * from tekil.verify_reservations()
                 union all select 4, * from tekil.verify_single_effect()
                 union all select 5, * from tekil.verify_transitions()
                  union all select 6, * from tekil.verify_counters()
                  union all select 7, * from tekil.verify_cases()) v on v.n = c.n
     order by c.n, v.subject
$$;
revoke all on function tekil.verify() from public;
grant execute on function tekil.verify() to tekil_engine;
