-- The life of a payment: the claimed key, the payment, its reservation, its attempts at the provider, its history.

-- One row a key. The typed request stays with it, so that any engine can go on without the client.
create table tekil.idempotency_record (
    merchant_id       bigint not null references tekil.merchant,
    idempotency_key   text collate "C" not null check (length(idempotency_key) between 1 and 255),
    operation_id      uuid not null,
    kind              text not null default 'payment' check (kind in ('payment')),
    hash_version      smallint not null,
    request_hash      bytea not null check (length(request_hash) = 32),
    status            text not null references tekil.payment_status,
    account_id        bigint not null,
    provider_id       bigint not null,
    customer_id       text,
    payment_type      text not null,
    invoice_id        text not null check (length(invoice_id) between 1 and 64),
    invoice_is_number boolean not null,
    amount_minor      bigint not null check (amount_minor > 0),
    currency          text not null,
    description       text,
    lease_holder      uuid,
    locked_until      timestamptz,
    lease_epoch       bigint not null check (lease_epoch > 0),
    recovery_tries    int not null default 0,
    response_status   smallint,
    response_body     text,
    created_at        timestamptz not null,
    completed_at      timestamptz,
    expires_at        timestamptz not null,
    primary key (merchant_id, idempotency_key),
    unique (operation_id),
    check ((status in ('Completed', 'Failed')) = (response_body is not null)),
    check ((status in ('Completed', 'Failed')) = (completed_at is not null)),
    check ((response_status is null) = (response_body is null))
) with (fillfactor = 70);
comment on column tekil.idempotency_record.locked_until is
    'The lease''s end while somebody holds it; for an Unknown one that nobody holds, when it is due to be worked on again.';
create index idempotency_record_lease on tekil.idempotency_record (provider_id, status, locked_until) where status in ('Processing', 'Unknown');

-- The second defence: one payment that is not Failed for each (merchant, invoice, type).
create table tekil.business_identity (
    merchant_id  bigint not null,
    invoice_id   text collate "C" not null,
    payment_type text collate "C" not null,
    operation_id uuid not null,
    primary key (merchant_id, invoice_id, payment_type)
);

create table tekil.payment (
    operation_id          uuid primary key,
    merchant_id           bigint not null references tekil.merchant,
    idempotency_key       text collate "C" not null,
    account_id            bigint not null,
    collection_account_id bigint not null,
    provider_id           bigint not null references tekil.provider,
    customer_id           text,
    payment_type          text not null,
    invoice_id            text not null,
    invoice_is_number     boolean not null,
    amount_minor          bigint not null check (amount_minor > 0),
    currency              text not null,
    description           text,
    status                text not null references tekil.payment_status,
    decline_code          text,
    failure_code          text,
    unknown_reason        text,
    provider_reference    text,
    message_sequence      int not null default 1,
    version               bigint not null default 1,
    refund_held_minor     bigint not null default 0 check (refund_held_minor >= 0),
    refunded_minor        bigint not null default 0 check (refunded_minor >= 0),
    charged_back_minor    bigint not null default 0 check (charged_back_minor >= 0),
    created_at            timestamptz not null,
    updated_at            timestamptz not null,
    completed_at          timestamptz,
    foreign key (account_id, currency) references tekil.account (account_id, currency),
    foreign key (collection_account_id, currency) references tekil.account (account_id, currency),
    check (account_id <> collection_account_id),
    check (refund_held_minor + refunded_minor + charged_back_minor <= amount_minor),
    check ((status in ('Completed', 'Failed')) = (completed_at is not null)),
    check ((status = 'Failed') = (decline_code is not null or failure_code is not null)),
    check (status <> 'Unknown' or unknown_reason is not null)
) with (fillfactor = 80);
create index payment_created on tekil.payment (created_at, operation_id);
create index payment_invoice on tekil.payment (invoice_id text_pattern_ops, created_at);
create index payment_key on tekil.payment (idempotency_key);
-- No index holds a column that finishing changes, so that its update stays on the page (HOT).

-- Every change of state, each by an allowed transition.
create table tekil.payment_state_change (
    operation_id uuid not null references tekil.payment,
    version      bigint not null,
    from_status  text not null,
    to_status    text not null,
    cause        text not null,
    instance_id  uuid,
    at           timestamptz not null,
    primary key (operation_id, version),
    foreign key (from_status, to_status) references tekil.payment_transition
);

create table tekil.balance_reservation (
    operation_id uuid primary key references tekil.payment,
    account_id   bigint not null,
    amount_minor bigint not null check (amount_minor > 0),
    currency     text not null,
    status       text not null check (status in ('Active', 'Finalized', 'Released')),
    created_at   timestamptz not null,
    expires_at   timestamptz not null,
    ended_at     timestamptz,
    foreign key (account_id, currency) references tekil.account (account_id, currency),
    check ((status = 'Active') = (ended_at is null))
) with (fillfactor = 80);
create index balance_reservation_active on tekil.balance_reservation (account_id) where status = 'Active';
comment on column tekil.balance_reservation.expires_at is 'Raises an alarm; a clock releases nothing whose outcome is not known.';

-- One request to the provider, committed before its first byte. A re-send is another attempt with the same bytes.
create table tekil.provider_attempt (
    operation_id       uuid not null references tekil.payment,
    attempt            int not null check (attempt > 0),
    provider_id        bigint not null,
    lease_epoch        bigint not null,
    instance_id        uuid not null,
    request_body       text not null,
    send_before        timestamptz not null,
    state              text not null check (state in ('open', 'answered', 'no_answer', 'not_sent')),
    http_status        smallint,
    answer_body        text check (length(answer_body) <= 65536),
    why                text,
    started_at         timestamptz not null,
    ended_at           timestamptz,
    primary key (operation_id, attempt),
    check ((state = 'open') = (ended_at is null))
) with (fillfactor = 70);

-- What must be told to others, in order for each payment. The message's id is its payment and sequence.
create table tekil.outbox_message (
    operation_id uuid not null references tekil.payment,
    sequence     int not null check (sequence > 0),
    kind         text not null check (kind in ('PaymentRequested', 'PaymentCompleted', 'PaymentFailed', 'PaymentUnknown')),
    body         text not null,
    state        text not null default 'pending' check (state in ('pending', 'sent', 'parked')),
    tries        int not null default 0,
    next_at      timestamptz not null,
    created_at   timestamptz not null,
    primary key (operation_id, sequence)
) with (fillfactor = 80);

-- The complete history of a key, as support reads it.
create table tekil.key_event (
    event_id        bigint generated always as identity primary key,
    merchant_id     bigint not null,
    idempotency_key text collate "C" not null,
    operation_id    uuid,
    kind            text not null references tekil.key_event_kind,
    instance_id     uuid,
    facts           jsonb not null default '{}',
    at              timestamptz not null default clock_timestamp()
);
create index key_event_key on tekil.key_event (merchant_id, idempotency_key, event_id);

create function tekil.refuse_change() returns trigger
    language plpgsql
    set search_path = pg_catalog
as $$
begin
    raise exception '% is append-only: % is refused', tg_table_name, tg_op using errcode = 'P0001';
end
$$;
create trigger append_only before update or delete or truncate on tekil.key_event
    for each statement execute function tekil.refuse_change();
create trigger append_only before update or delete or truncate on tekil.payment_state_change
    for each statement execute function tekil.refuse_change();
