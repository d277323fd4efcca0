-- Adds merchants, each with the account of its place in the list as its default.
insert into tekil.merchant (name, api_key_hash, default_account_id, default_provider_id)
select i.name, i.api_key_hash, i.account_id, $4 from unnest($1::text[], $2::bytea[], $3::bigint[]) with ordinality
    as i (name, api_key_hash, account_id, ord) order by i.ord
returning merchant_id
