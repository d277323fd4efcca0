-- Seeds the ledger's entries: the payer is debited, the merchant's collection account credited.
insert into tekil.ledger_entry (transaction_id, line, account_id, amount_minor, currency, posted_at)
select d.operation_id, e.line, e.account_id, e.amount_minor, 'TRY', d.ended_at
  from bench_draft d
  cross join lateral (values (1, d.account_id, -d.amount_minor), (2, d.collection_id, d.amount_minor))
      as e (line, account_id, amount_minor)
 where d.status = 'Completed'
