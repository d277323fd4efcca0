-- Keeps what does not hold, and takes out what was looked at and holds again: transactions and currencies that were known
-- to be wrong are looked at in every check.
create or replace function tekil.record_problems(accounts bigint[], kinds text[], subjects text[], problems text[],
    moment timestamptz) returns void
    language plpgsql
    set search_path = pg_catalog
as $$
begin
    insert into tekil.books_problem as p (kind, subject, problem, found_at, seen_at)
    select i.kind, i.subject, i.problem, moment, moment from unnest(kinds, subjects, problems) as i (kind, subject, problem)
     order by i.kind, i.subject limit 1000
    on conflict (kind, subject) do update set problem = excluded.problem, seen_at = excluded.seen_at;
    delete from tekil.books_problem p
     where p.seen_at < moment
       and (p.kind in ('transaction', 'currency') or p.subject::bigint = any (accounts));
end
$$;
revoke all on function tekil.record_problems(bigint[], text[], text[], text[], timestamptz) from public;
grant execute on function tekil.record_problems(bigint[], text[], text[], text[], timestamptz) to tekil_engine;
