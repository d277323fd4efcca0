-- needs: console/version
-- Ledger entries with the account they stand on; credits positive, debits negative.
create view console.ledger_entry as
select e.transaction_id, t.operation_id, t.kind, e.line, e.account_id, a.owner_name, a.kind as account_kind, e.amount_minor,
       e.currency, c.exponent, (extract(epoch from e.posted_at) * 1000000)::bigint as posted_us, t.posted_by
  from tekil.ledger_entry e
  join tekil.ledger_transaction t on t.transaction_id = e.transaction_id
  join tekil.account a on a.account_id = e.account_id
  join tekil.currency c on c.code = e.currency;
grant select on console.ledger_entry to tekil_support, tekil_auditor, tekil_admin;
