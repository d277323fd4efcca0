-- The double-entry ledger: append-only, balanced by the statement that writes it.

-- The id is that of the operation that caused it (a charge's, a funding's client id), so that one operation has one
-- financial effect by primary key.
create table tekil.ledger_transaction (
    transaction_id uuid primary key,
    kind           text not null check (kind in ('charge', 'funding')),
    operation_id   uuid references tekil.payment,
    description    text,
    posted_by      text not null,
    posted_at      timestamptz not null,
    check ((kind = 'charge') = (operation_id is not null)),
    check (kind <> 'charge' or operation_id = transaction_id)
);

-- Credits are positive, debits negative: a transaction sums to zero in each currency.
create table tekil.ledger_entry (
    transaction_id uuid not null references tekil.ledger_transaction,
    line           smallint not null check (line > 0),
    account_id     bigint not null,
    amount_minor   bigint not null check (amount_minor <> 0),
    currency       text not null,
    posted_at      timestamptz not null,
    primary key (transaction_id, line),
    foreign key (account_id, currency) references tekil.account (account_id, currency)
);
create index ledger_entry_account on tekil.ledger_entry (account_id, posted_at, transaction_id, line);

create trigger append_only before update or delete or truncate on tekil.ledger_transaction
    for each statement execute function tekil.refuse_change();
create trigger append_only before update or delete or truncate on tekil.ledger_entry
    for each statement execute function tekil.refuse_change();

-- All entries of a transaction come by one statement, sum to zero per currency, and none comes later.
create function tekil.check_entries() returns trigger
    language plpgsql
    set search_path = pg_catalog
as $$
declare
    bad uuid;
begin
    select n.transaction_id into bad from fresh n
     group by n.transaction_id, n.currency having sum(n.amount_minor) <> 0 limit 1;
    if found then
        raise exception 'ledger transaction % does not balance', bad using errcode = 'P0001';
    end if;
    select n.transaction_id into bad
      from (select transaction_id, count(*) as lines from fresh group by transaction_id) n
     where n.lines <> (select count(*) from tekil.ledger_entry e where e.transaction_id = n.transaction_id) limit 1;
    if found then
        raise exception 'ledger transaction % already has its entries', bad using errcode = 'P0001';
    end if;
    return null;
end
$$;
create trigger balanced after insert on tekil.ledger_entry
    referencing new table as fresh for each statement execute function tekil.check_entries();
