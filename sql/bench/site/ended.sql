-- How many payments of a provider have ended well, and otherwise.
select count(*) filter (where p.status = 'Completed'), count(*) filter (where p.status <> 'Completed')
  from tekil.payment p where p.provider_id = $1
