-- Credits an account from funding, once for each client id. See tekil.fund_account.
select tekil.fund_account($1, $2, $3, $4)
