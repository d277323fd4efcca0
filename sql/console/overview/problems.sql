-- What does not hold in the books, the oldest first.
select p.kind, p.subject, p.problem, p.found_us from console.books_problem p order by p.found_us, p.kind, p.subject limit 20
