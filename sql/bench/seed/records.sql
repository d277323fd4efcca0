-- Seeds the keys' records. One under way has a lease that ended a minute ago; an Unknown one is due in a year.
insert into tekil.idempotency_record (merchant_id, idempotency_key, operation_id, hash_version, request_hash, status,
    account_id, provider_id, payment_type, invoice_id, invoice_is_number, amount_minor, currency, lease_holder,
    locked_until, lease_epoch, response_status, response_body, created_at, completed_at, expires_at)
select d.merchant_id, d.idempotency_key, d.operation_id, 1, sha256(uuid_send(d.operation_id)), d.status, d.account_id, $1,
       'sale', d.invoice_id, true, d.amount_minor, 'TRY', case when d.status = 'Processing' then $2::uuid end,
       case d.status when 'Processing' then clock_timestamp() - interval '1 minute'
                     when 'Unknown' then clock_timestamp() + interval '1 year' end,
       case d.status when 'Processing' then 1 else 2 end,
       case d.status when 'Completed' then 201 when 'Failed' then 402 end, m.body, d.created_at,
       case when d.status in ('Completed', 'Failed') then d.ended_at end, d.created_at + interval '24 hours'
  from bench_draft d
  left join tekil.outbox_message m on m.operation_id = d.operation_id and m.sequence = 2
       and d.status in ('Completed', 'Failed')
