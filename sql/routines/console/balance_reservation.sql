-- needs: console/version
-- What is held for a payment, and how the hold ended.
create view console.balance_reservation as
select r.operation_id, r.account_id, a.owner_name, r.amount_minor, r.currency, c.exponent, r.status,
       (extract(epoch from r.created_at) * 1000000)::bigint as created_us,
       (extract(epoch from r.expires_at) * 1000000)::bigint as expires_us,
       (extract(epoch from r.ended_at) * 1000000)::bigint as ended_us
  from tekil.balance_reservation r
  join tekil.account a on a.account_id = r.account_id
  join tekil.currency c on c.code = r.currency;
grant select on console.balance_reservation to tekil_support, tekil_auditor, tekil_admin;
