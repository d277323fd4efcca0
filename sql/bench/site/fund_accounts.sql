-- Credits each of these accounts from funding, through the routine that everybody uses.
select count(*) from unnest($1::bigint[]) as a (account_id)
 where tekil.fund_account(gen_random_uuid(), a.account_id, $2, $3) = 'done'
