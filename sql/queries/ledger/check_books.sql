-- Checks the books where that is due; no row where it is not, or where another engine is at it. See tekil.check_books.
select open_problems, first_problem from tekil.check_books($1, $2)
