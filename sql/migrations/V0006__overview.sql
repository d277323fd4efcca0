-- What the overview reads without counting payments: counters by transition, signs of life, and checks of the books.

-- One row a second, engine, step and transition: each step of each engine adds to a row of its own, so nobody waits.
-- From 'New' means that the payment came to be. Chores fold old seconds into payment_total.
create table tekil.payment_flow (
    second       timestamptz not null,
    instance_id  uuid not null,
    step         text not null,
    from_status  text not null,
    to_status    text not null references tekil.payment_status,
    currency     text not null references tekil.currency,
    payments     bigint not null check (payments > 0),
    amount_minor numeric not null check (amount_minor > 0),
    primary key (second, instance_id, step, from_status, to_status, currency),
    check (from_status <> to_status)
) with (fillfactor = 50);
create table tekil.payment_total (
    from_status  text not null,
    to_status    text not null references tekil.payment_status,
    currency     text not null references tekil.currency,
    payments     bigint not null check (payments > 0),
    amount_minor numeric not null check (amount_minor > 0),
    primary key (from_status, to_status, currency)
) with (fillfactor = 50);
insert into tekil.payment_total (from_status, to_status, currency, payments, amount_minor)
select 'New', 'Processing', p.currency, count(*), sum(p.amount_minor) from tekil.payment p group by p.currency
union all
select c.from_status, c.to_status, p.currency, count(*), sum(p.amount_minor)
  from tekil.payment_state_change c join tekil.payment p on p.operation_id = c.operation_id
 group by c.from_status, c.to_status, p.currency;

-- The seconds in which an engine was alive: without one, "no payments" is not known but merely not seen.
create table tekil.engine_beat (
    second      timestamptz not null,
    instance_id uuid not null,
    primary key (second, instance_id)
);
alter table tekil.engine_instance add column draining_at timestamptz;

-- The oldest open operation of a state, however many rows there are.
create index idempotency_record_open on tekil.idempotency_record (status, created_at, operation_id)
    where status in ('Processing', 'Unknown');

-- Whose turn it is to check the books, and how far the pass over all accounts has come: one row, locked while it runs.
create table tekil.books_turn (
    only_row       boolean primary key default true check (only_row),
    next_at        timestamptz not null default 'epoch',
    touched_from   timestamptz not null default 'epoch',
    cursor_account bigint not null default 0,
    pass_ended_at  timestamptz
);
insert into tekil.books_turn default values;

-- The sum of an account's entries up to an instant, so that a check adds up only what came since; whole_at is when all of
-- them were last added up.
create table tekil.account_checkpoint (
    account_id   bigint primary key references tekil.account,
    posted_minor numeric not null,
    entries      bigint not null,
    until        timestamptz not null,
    whole_at     timestamptz not null
) with (fillfactor = 70);

create table tekil.books_check (
    check_id     bigint generated always as identity primary key,
    instance_id  uuid not null,
    started_at   timestamptz not null,
    ended_at     timestamptz not null,
    accounts     int not null,
    entries      bigint not null,
    transactions bigint not null,
    problems     int not null,
    totals       jsonb not null
);
comment on column tekil.books_check.totals is
    'For each currency the sum of what stands on accounts that are credited normally, and of those debited normally.';
create index books_check_ended on tekil.books_check (ended_at);

-- What does not hold now; looked at again in each check, and gone once it holds.
create table tekil.books_problem (
    kind     text not null check (kind in ('account', 'reserved', 'transaction', 'currency')),
    subject  text not null,
    problem  text not null,
    found_at timestamptz not null,
    seen_at  timestamptz not null,
    primary key (kind, subject)
);

grant select on tekil.payment_flow, tekil.payment_total, tekil.engine_beat, tekil.books_turn, tekil.account_checkpoint,
    tekil.books_check, tekil.books_problem to tekil_engine;
grant insert, update, delete on tekil.payment_flow, tekil.payment_total, tekil.account_checkpoint, tekil.books_problem
    to tekil_engine;
grant insert, update, delete on tekil.engine_beat to tekil_engine;
grant insert, delete on tekil.books_check to tekil_engine;
grant update on tekil.books_turn to tekil_engine;

do $$
begin
    assert not exists (
        select from (select p.status, count(*) as n from tekil.payment p group by p.status) p
          full join (select s.status, sum(case when t.to_status = s.status then t.payments else -t.payments end) as n
                       from tekil.payment_status s
                       join tekil.payment_total t on s.status in (t.from_status, t.to_status) group by s.status) c
            on c.status = p.status
         where coalesce(p.n, 0) <> coalesce(c.n, 0)), 'counters start as the payments are';
    assert (select count(*) from tekil.books_turn) = 1, 'one turn';
end
$$;
