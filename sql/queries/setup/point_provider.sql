-- Points a provider at another base URL; its row if there is one.
update tekil.provider set base_url = $2 where name = $1 returning provider_id
