-- Deals the payers' accounts out to the merchants in turn; each merchant may debit what it got.
with dealt as (
    select m.merchant_id, a.account_id
      from unnest($1::bigint[]) with ordinality as m (merchant_id, place)
      join unnest($2::bigint[]) with ordinality as a (account_id, place)
        on (a.place - 1) % cardinality($1::bigint[]) = m.place - 1)
insert into tekil.merchant_account (merchant_id, account_id) select merchant_id, account_id from dealt
