-- Seeds the payments.
insert into tekil.payment (operation_id, merchant_id, idempotency_key, account_id, collection_account_id, provider_id,
    payment_type, invoice_id, invoice_is_number, amount_minor, currency, status, decline_code, unknown_reason,
    provider_reference, message_sequence, version, created_at, updated_at, completed_at)
select d.operation_id, d.merchant_id, d.idempotency_key, d.account_id, d.collection_id, $1, 'sale', d.invoice_id, true,
       d.amount_minor, 'TRY', d.status, case d.status when 'Failed' then 'do_not_honor' end,
       case d.status when 'Unknown' then 'no_answer' end,
       case d.status when 'Completed' then 'BNK-' || d.invoice_id end, case d.status when 'Processing' then 1 else 2 end,
       case d.status when 'Processing' then 1 else 2 end, d.created_at, d.ended_at,
       case when d.status in ('Completed', 'Failed') then d.ended_at end
  from bench_draft d
