-- Opens the merchants' collection accounts, so that no measurement's first payment pays for it.
insert into tekil.account (kind, purpose, collection_of, owner_name, currency, normal_side)
select 'merchant', 'collection', m.merchant_id, m.name || ' collection', 'TRY', 'credit'
  from tekil.merchant m where m.merchant_id = any ($1::bigint[]) order by m.merchant_id
returning account_id
