-- Adds a merchant with the hash of its API key; its default account is granted with it.
with account as (select account_id from tekil.account where account_id = $3 and kind <> 'system'),
     provider as (select provider_id from tekil.provider where name = $4),
     added as (
    insert into tekil.merchant (name, api_key_hash, default_account_id, default_provider_id, amount_limit, rate_per_second)
    select $1, $2::bytea, a.account_id, p.provider_id, $5::numeric, $6::int from account a, provider p
    returning merchant_id, default_account_id),
     granted as (
    insert into tekil.merchant_account (merchant_id, account_id) select merchant_id, default_account_id from added)
select (select merchant_id from added), exists (select from account), exists (select from provider)
