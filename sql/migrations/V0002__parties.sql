-- Who takes part: accounts, providers, merchants and what they may debit, operators, engine instances.

create table tekil.provider (
    provider_id        bigint generated always as identity primary key,
    name               text not null unique check (name ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
    base_url           text not null check (base_url ~ '^https?://[^/?#[:space:]]+(/[^?#[:space:]]*)?$'),
    can_idempotent     boolean not null,
    can_inquiry        boolean not null,
    timeout_ms         int not null default 5000 check (timeout_ms between 100 and 120000),
    key_window         interval not null default '24 hours' check (key_window > '0'),
    inquiry_grace      interval not null default '30 seconds' check (inquiry_grace >= '0'),
    not_found_final    boolean not null default false,
    send_deadline      interval not null default '15 minutes' check (send_deadline > '0'),
    max_concurrency    int not null default 64 check (max_concurrency between 1 and 1024),
    definite_refusals  int[] not null default '{}',
    created_at         timestamptz not null default clock_timestamp()
);
comment on column tekil.provider.definite_refusals is
    'HTTP statuses in 400..499 that prove, on a first and only attempt, that nothing was charged.';

-- A posted balance is available + reserved, counted on the account's normal side.
create table tekil.account (
    account_id      bigint generated always as identity (start with 101) primary key,
    kind            text not null check (kind in ('customer', 'merchant', 'system')),
    purpose         text not null default 'general' check (purpose in ('general', 'collection', 'funding', 'clearing', 'suspense')),
    owner_name      text check (length(owner_name) between 1 and 200),
    currency        text not null references tekil.currency,
    normal_side     text not null check (normal_side in ('credit', 'debit')),
    may_overdraw    boolean not null default false,
    status          text not null default 'open' check (status in ('open', 'closed')),
    available_minor bigint not null default 0,
    reserved_minor  bigint not null default 0,
    collection_of   bigint,
    provider_id     bigint references tekil.provider,
    created_at      timestamptz not null default clock_timestamp(),
    unique (account_id, currency),
    check (may_overdraw or available_minor >= 0),
    check (reserved_minor >= 0),
    check ((kind = 'system') = (purpose in ('funding', 'clearing', 'suspense'))),
    check ((purpose = 'collection') = (collection_of is not null)),
    check ((purpose = 'clearing') = (provider_id is not null)),
    check ((normal_side = 'debit') = (purpose in ('funding', 'clearing')))
) with (fillfactor = 50);
create unique index account_collection on tekil.account (collection_of, currency) where collection_of is not null;
create unique index account_system on tekil.account (purpose, currency, coalesce(provider_id, 0)) where kind = 'system';

create table tekil.merchant (
    merchant_id        bigint generated always as identity primary key,
    name               text not null unique check (name ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
    api_key_hash       bytea not null unique check (length(api_key_hash) = 32),
    default_account_id bigint not null references tekil.account,
    default_provider_id bigint not null references tekil.provider,
    amount_limit       numeric(24, 4) check (amount_limit > 0),
    rate_per_second    int check (rate_per_second > 0),
    key_retention      interval not null default '24 hours' check (key_retention between '24 hours' and '72 hours'),
    disabled           boolean not null default false,
    created_at         timestamptz not null default clock_timestamp()
);
comment on column tekil.merchant.amount_limit is 'The most one payment may be, in major units of its own currency.';
alter table tekil.account add foreign key (collection_of) references tekil.merchant;

-- What a merchant may debit; its default account has a row too.
create table tekil.merchant_account (
    merchant_id bigint not null references tekil.merchant,
    account_id  bigint not null references tekil.account,
    granted_at  timestamptz not null default clock_timestamp(),
    primary key (merchant_id, account_id)
);

-- A person is a login's oid and this row, never a name.
create table tekil.operator (
    operator_id bigint generated always as identity primary key,
    login_oid   oid not null unique,
    login       text not null check (login ~ '^[a-z][a-z0-9_]{0,62}$'),
    role        text not null check (role in ('support', 'operations', 'finance', 'auditor', 'admin')),
    disabled    boolean not null default false,
    created_at  timestamptz not null default clock_timestamp()
);

create table tekil.engine_instance (
    instance_id  uuid primary key,
    program      text not null,
    version      text not null,
    host         text not null,
    pid          int not null,
    roles        text[] not null,
    http         text,
    started_at   timestamptz not null default clock_timestamp(),
    heartbeat_at timestamptz not null default clock_timestamp(),
    ended_at     timestamptz
) with (fillfactor = 50);
