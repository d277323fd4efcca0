-- Claims keys for new requests: stores the typed request of each key that nobody has and that may be executed.
-- Nothing is claimed for the providers in $17: this engine takes on no new work for them at present.
-- offset 0: what a request needs is looked up by key for each, however small the tables looked when this was planned.
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
      cross join lateral (select * from tekil.merchant x where x.merchant_id = i.merchant_id and not x.disabled offset 0) m
      cross join lateral (
           select x.account_id
             from tekil.merchant_account g join tekil.account x on x.account_id = g.account_id
            where g.merchant_id = i.merchant_id and g.account_id = coalesce(i.account_id, m.default_account_id)
              and x.kind <> 'system' and x.status = 'open' and x.currency = i.currency offset 0) a
      cross join lateral (select x.exponent from tekil.currency x where x.code = i.currency offset 0) c
      cross join lateral (
           select x.provider_id from tekil.provider x
            where x.provider_id = case when i.provider_name is null then m.default_provider_id
                else (select n.provider_id from tekil.provider n where n.name = i.provider_name) end offset 0) v
     where (m.amount_limit is null or i.amount_minor <= m.amount_limit * 10::numeric ^ c.exponent)
       and v.provider_id <> all ($17::bigint[])
     order by i.merchant_id, i.idempotency_key collate "C"
    on conflict (merchant_id, idempotency_key) do nothing
    returning operation_id, merchant_id, idempotency_key, provider_id, lease_epoch, created_at),
told as (
    insert into tekil.key_event (merchant_id, idempotency_key, operation_id, kind, instance_id, at)
    select c.merchant_id, c.idempotency_key, c.operation_id, 'claimed', $15::uuid, c.created_at from claimed c)
select c.operation_id, c.provider_id from claimed c
