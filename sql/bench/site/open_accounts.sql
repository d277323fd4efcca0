-- Opens payers' accounts for a measurement; they carry its mark in their owner's name.
insert into tekil.account (kind, owner_name, currency, normal_side)
select 'customer', $1 || ' payer ' || n, 'TRY', 'credit' from generate_series(1, $2::int) n
returning account_id
