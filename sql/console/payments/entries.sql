-- What a payment has written in the ledger.
select e.line, e.account_id, e.owner_name, e.amount_minor, e.currency, e.exponent, e.posted_us
  from console.ledger_entry e where e.transaction_id = :operation_id::uuid order by e.line
