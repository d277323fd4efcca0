-- pgbench: the whole life of a payment written row by row, with the four commits that the engine makes for it.
\set n :n + 1
\set invoice :first_invoice + :client_id * 100000000 + :n
\set i random(0, :accounts - 1)
\set payer :first_account + :i
\set merchant :first_merchant + :i % :merchants
\set collection :first_collection + :i % :merchants
\set amount random(100, 99999)
begin;
insert into tekil.idempotency_record (merchant_id, idempotency_key, operation_id, hash_version, request_hash, status,
    account_id, provider_id, payment_type, invoice_id, invoice_is_number, amount_minor, currency, lease_holder,
    locked_until, lease_epoch, created_at, expires_at)
select :merchant::bigint, k.id::text, k.id, 1, sha256(uuid_send(k.id)), 'Processing', :payer::bigint, :provider::bigint,
       'sale', :invoice::bigint::text, true, :amount::bigint, 'TRY', :instance::uuid, k.at + interval '30 seconds', 1, k.at,
       k.at + interval '24 hours'
  from (select t.at, (lpad(to_hex((extract(epoch from t.at) * 1000)::bigint), 12, '0')
                      || '7' || substr(replace(gen_random_uuid()::text, '-', ''), 14))::uuid as id
          from (select clock_timestamp() as at) t) k
on conflict (merchant_id, idempotency_key) do nothing
returning operation_id as op, created_at as created
\gset
insert into tekil.key_event (merchant_id, idempotency_key, operation_id, kind, instance_id, at)
values (:merchant, :op, :op, 'claimed', :instance, :created);
commit;
begin;
select r.status from tekil.idempotency_record r where r.operation_id = :op and r.lease_epoch = 1 for no key update;
insert into tekil.business_identity (merchant_id, invoice_id, payment_type, operation_id)
values (:merchant, :invoice, 'sale', :op);
update tekil.account set available_minor = available_minor - :amount::bigint, reserved_minor = reserved_minor + :amount::bigint
 where account_id = :payer and status = 'open' and available_minor >= :amount::bigint;
insert into tekil.payment (operation_id, merchant_id, idempotency_key, account_id, collection_account_id, provider_id,
    payment_type, invoice_id, invoice_is_number, amount_minor, currency, status, created_at, updated_at)
values (:op, :merchant, :op, :payer, :collection, :provider, 'sale', :invoice, true, :amount, 'TRY', 'Processing',
        :created, clock_timestamp());
insert into tekil.balance_reservation (operation_id, account_id, amount_minor, currency, status, created_at, expires_at)
values (:op, :payer, :amount, 'TRY', 'Active', clock_timestamp(), clock_timestamp() + interval '24 hours');
insert into tekil.outbox_message (operation_id, sequence, kind, body, next_at, created_at)
values (:op, 1, 'PaymentRequested', tekil.payment_body(:op, 'Processing', :invoice, true, :amount, 'TRY', null, null, null,
        :created, null), clock_timestamp(), clock_timestamp());
insert into tekil.key_event (merchant_id, idempotency_key, operation_id, kind, instance_id)
values (:merchant, :op, :op, 'accepted', :instance);
commit;
begin;
select r.status from tekil.idempotency_record r where r.operation_id = :op and r.lease_epoch = 1 for no key update;
insert into tekil.provider_attempt (operation_id, attempt, provider_id, lease_epoch, instance_id, request_body, send_before,
    state, started_at)
values (:op, 1, :provider, 1, :instance, '{"operationId":"' || :op::uuid || '","merchantReference":"' || :invoice::bigint
        || '","amount":"' || tekil.amount_text(:amount, 2) || '","currency":"TRY"}',
        clock_timestamp() + interval '29.5 seconds', 'open', clock_timestamp());
insert into tekil.key_event (merchant_id, idempotency_key, operation_id, kind, instance_id, facts)
values (:merchant, :op, :op, 'attempt', :instance, '{"attempt": 1}');
commit;
begin;
select r.status from tekil.idempotency_record r where r.operation_id = :op and r.lease_epoch = 1 for no key update;
select p.version from tekil.payment p where p.operation_id = :op for no key update;
update tekil.provider_attempt set state = 'answered', http_status = 201, ended_at = clock_timestamp(),
    answer_body = '{"providerReference":"BNK-0000000001","operationId":"' || :op::uuid
        || '","status":"captured","amount":"' || tekil.amount_text(:amount, 2) || '","currency":"TRY","declineCode": null}'
 where operation_id = :op and attempt = 1 and state = 'open';
insert into tekil.payment_state_change (operation_id, version, from_status, to_status, cause, instance_id, at)
values (:op, 2, 'Processing', 'Completed', 'captured', :instance, clock_timestamp());
update tekil.payment set status = 'Completed', provider_reference = 'BNK-0000000001', message_sequence = 2, version = 2,
    updated_at = clock_timestamp(), completed_at = clock_timestamp()
 where operation_id = :op and status = 'Processing';
update tekil.balance_reservation set status = 'Finalized', ended_at = clock_timestamp()
 where operation_id = :op and status = 'Active';
update tekil.account set reserved_minor = reserved_minor - :amount::bigint where account_id = :payer;
update tekil.account set available_minor = available_minor + :amount::bigint where account_id = :collection;
insert into tekil.ledger_transaction (transaction_id, kind, operation_id, posted_by, posted_at)
values (:op, 'charge', :op, 'engine ' || :instance::uuid, clock_timestamp());
insert into tekil.ledger_entry (transaction_id, line, account_id, amount_minor, currency, posted_at)
values (:op, 1, :payer, -:amount::bigint, 'TRY', clock_timestamp()), (:op, 2, :collection, :amount, 'TRY', clock_timestamp());
insert into tekil.outbox_message (operation_id, sequence, kind, body, next_at, created_at)
select p.operation_id, 2, 'PaymentCompleted', tekil.payment_body(p.operation_id, p.status, p.invoice_id, true, p.amount_minor,
       p.currency, p.provider_reference, null, null, p.created_at, p.completed_at), p.completed_at, p.completed_at
  from tekil.payment p where p.operation_id = :op;
insert into tekil.key_event (merchant_id, idempotency_key, operation_id, kind, instance_id, facts)
values (:merchant, :op, :op, 'answer', :instance, '{"attempt": 1, "proof": "captured", "httpStatus": 201}');
update tekil.idempotency_record r
   set status = 'Completed', completed_at = m.created_at, response_status = 201, response_body = m.body, lease_holder = null,
       locked_until = null, lease_epoch = 2
  from tekil.outbox_message m
 where r.operation_id = :op and m.operation_id = :op and m.sequence = 2;
commit;
