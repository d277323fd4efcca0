-- Makes the login of a restored operator. See tekil.remake_login.
select tekil.remake_login($1, $2)
