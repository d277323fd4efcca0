-- Opens one case. See tekil.open_cases.
select tekil.open_cases(array[$1::text], array[$2::uuid], array[$3::text], array[$4::jsonb], $5::uuid)
