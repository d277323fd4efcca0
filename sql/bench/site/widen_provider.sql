-- How many charges a provider takes at a time.
update tekil.provider set max_concurrency = $2 where provider_id = $1
