-- Opens an account. See tekil.open_account.
select tekil.open_account($1, $2, $3)
