-- What a capture of a payment would write in the ledger.
select w.line, w.account_id, w.owner_name, w.amount_minor, w.currency, w.exponent
  from console.charge_entries(:operation_id::uuid) w
