-- Makes an operator's login with a SCRAM verifier. See tekil.make_operator.
select tekil.make_operator($1, $2, $3)
