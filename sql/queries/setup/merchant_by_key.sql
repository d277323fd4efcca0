-- The merchants whose API keys hash to these values.
select m.api_key_hash, m.merchant_id, m.name, m.disabled, coalesce(m.rate_per_second, 0)
  from tekil.merchant m where m.api_key_hash = any ($1::bytea[])
