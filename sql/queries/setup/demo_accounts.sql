-- The demonstration's payer accounts that exist: they carry its mark in their owner's name.
select account_id, currency from tekil.account where kind = 'customer' and owner_name like 'demo payer %' order by account_id
