-- Every check of the books. See tekil.verify.
select check_name, subject, problem from tekil.verify()
