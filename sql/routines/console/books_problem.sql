-- needs: console/version
-- What does not hold in the books now.
create view console.books_problem as
select p.kind, p.subject, p.problem, (extract(epoch from p.found_at) * 1000000)::bigint as found_us,
       (extract(epoch from p.seen_at) * 1000000)::bigint as seen_us
  from tekil.books_problem p;
grant select on console.books_problem to tekil_support, tekil_auditor, tekil_admin;
