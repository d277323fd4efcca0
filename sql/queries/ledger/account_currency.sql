-- The currency of an account that money can be put on, for reading amounts.
select currency from tekil.account where account_id = $1 and kind <> 'system'
