-- Claims keys for new requests: stores the typed request of each key that nobody has and that may be executed.
-- Nothing is claimed for the providers in $17: this engine takes on no new work for them at present.
-- Rows that do not come back belong to somebody else or may not be executed: payments.read_back says which.
with input as (
    select * from unnest($1::bigint[], $2::text[], $3::uuid[], $4::bytea[], $5::bigint[], $6::text[], $7::text[],
                         $8::text[], $9::text[], $10::boolean[], $11::bigint[], $12::text[], $13::text[])
        as i (merchant_id, idempotency_key, operation_id, request_hash, account_id, provider_name, customer_id,
              payment_type, invoice_id, invoice_is_number, amount_minor, currency, description)),
claimed as (
    insert into tekil.idempotency_record (merchant_id, idempotency_key, operation_id, hash_version, request_hash, status,
        account_id, provider_id, customer_id, payment_type, invoice_id, invoice_is_number, amount_minor, currency,
        description, lease_holder, locked_until, lease_epoch, created_at, expires_at)
    select i.merchant_id, i.idempotency_key, i.operation_id, $14::smallint, i.request_hash, 'Processing',
           a.account_id, v.provider_id, i.customer_id, i.payment_type, i.invoice_id, i.invoice_is_number, i.amount_minor,
           i.currency, i.description, $15::uuid, t.moment + $16::interval, 1, t.moment, t.moment + m.key_retention
      from input i
      cross join (select clock_timestamp() as moment) t
      join tekil.merchant m on m.merchant_id = i.merchant_id and not m.disabled
      join tekil.merchant_account g on g.merchant_id = i.merchant_id
       and g.account_id = coalesce(i.account_id, m.default_account_id)
      join tekil.account a on a.account_id = g.account_id and a.kind <> 'system' and a.status = 'open'
       and a.currency = i.currency
      join tekil.currency c on c.code = i.currency
      join tekil.provider v on case when i.provider_name is null then v.provider_id = m.default_provider_id
                                    else v.name = i.provider_name end
     where (m.amount_limit is null or i.amount_minor <= m.amount_limit * 10::numeric ^ c.exponent)
       and v.provider_id <> all ($17::bigint[])
     order by i.merchant_id, i.idempotency_key collate "C"
    on conflict (merchant_id, idempotency_key) do nothing
    returning operation_id, merchant_id, idempotency_key, provider_id, lease_epoch, created_at),
told as (
    insert into tekil.key_event (merchant_id, idempotency_key, operation_id, kind, instance_id, at)
    select c.merchant_id, c.idempotency_key, c.operation_id, 'claimed', $15::uuid, c.created_at from claimed c)
select c.operation_id, c.provider_id from claimed c
