-- Lets a merchant debit one more account; granting twice is the same as once.
with merchant as (select merchant_id from tekil.merchant where name = $1),
     account as (select account_id from tekil.account where account_id = $2 and kind <> 'system'),
     granted as (
    insert into tekil.merchant_account (merchant_id, account_id) select m.merchant_id, a.account_id from merchant m, account a
    on conflict do nothing)
select (select merchant_id from merchant), (select account_id from account)
