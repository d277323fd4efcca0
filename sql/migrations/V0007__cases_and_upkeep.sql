-- What people must be shown: truths that contradict the books, or that the books could not take. One open case a kind
-- and subject; the same truth told again changes nothing, another truth of the same kind is added to the open case.

create table tekil.case_kind (
    kind     text primary key,
    severity text not null check (severity in ('warning', 'critical')),
    meaning  text not null
);
insert into tekil.case_kind values
    ('late_send', 'critical', 'a charge was written after the instant it had to be sent by, or after its lease was lost'),
    ('amount_mismatch', 'critical', 'the provider captured other money than was asked for'),
    ('late_capture', 'critical', 'the provider captured a payment that had failed here'),
    ('late_decline', 'critical', 'the provider declined a payment that had completed here'),
    ('cannot_post', 'critical', 'the provider answered and the books refused to take it'),
    ('duplicate_charge', 'critical', 'the provider tells another charge for a payment that has one'),
    ('commits_lost', 'critical', 'the database has lost commits that it had confirmed');

-- operation_id has no foreign key: after lost commits there may be a charge whose payment is gone.
create table tekil.reconciliation_case (
    case_id      bigint generated always as identity primary key,
    kind         text not null references tekil.case_kind,
    severity     text not null check (severity in ('warning', 'critical')),
    operation_id uuid,
    instance_id  uuid not null,
    provider_id  bigint references tekil.provider,
    at_risk_minor bigint check (at_risk_minor >= 0),
    currency     text references tekil.currency,
    facts        jsonb not null,
    state        text not null default 'open' check (state in ('open', 'resolved')),
    opened_at    timestamptz not null,
    resolved_at  timestamptz,
    check ((at_risk_minor is null) = (currency is null)),
    check ((state = 'open') = (resolved_at is null))
);
comment on column tekil.reconciliation_case.instance_id is 'Who opened it; its subject where there is no operation.';
create unique index reconciliation_case_open on tekil.reconciliation_case (kind, coalesce(operation_id, instance_id))
    where state = 'open';
create index reconciliation_case_operation on tekil.reconciliation_case (operation_id);

-- Every truth that was told for a case, once; truth tells them apart (the provider's reference, an attempt, …).
create table tekil.reconciliation_case_fact (
    kind        text not null,
    subject     uuid not null,
    truth       text not null,
    case_id     bigint not null references tekil.reconciliation_case,
    instance_id uuid not null,
    facts       jsonb not null,
    at          timestamptz not null,
    primary key (kind, subject, truth)
);
create index reconciliation_case_fact_case on tekil.reconciliation_case_fact (case_id);
create trigger append_only before update or delete or truncate on tekil.reconciliation_case_fact
    for each statement execute function tekil.refuse_change();

grant select on tekil.case_kind to tekil_engine;
grant select, insert on tekil.reconciliation_case, tekil.reconciliation_case_fact to tekil_engine;

-- What earlier versions knew only as reasons and events.
with told as (
    select case p.unknown_reason when 'posting_failed' then 'cannot_post' else 'amount_mismatch' end as kind,
           p.operation_id, coalesce(p.provider_reference, '') as truth, p.updated_at as at, p.provider_id,
           p.amount_minor, p.currency,
           jsonb_strip_nulls(jsonb_build_object('code', p.unknown_reason, 'providerReference', p.provider_reference)) as facts
      from tekil.payment p where p.status = 'Unknown' and p.unknown_reason in ('posting_failed', 'amount_mismatch')
    union all
    select case p.status when 'Failed' then 'late_capture' else 'late_decline' end, p.operation_id,
           coalesce(min(k.facts ->> 'providerReference'), ''), min(k.at), p.provider_id, p.amount_minor, p.currency,
           (array_agg(k.facts order by k.event_id))[1]
      from tekil.key_event k join tekil.payment p on p.operation_id = k.operation_id
     where k.kind = 'lease_lost' and (p.status = 'Failed' and k.facts ->> 'proof' = 'captured'
                                   or p.status = 'Completed' and k.facts ->> 'proof' in ('declined', 'refused'))
     group by p.operation_id),
opened as (
    insert into tekil.reconciliation_case (kind, severity, operation_id, instance_id, provider_id, at_risk_minor, currency,
        facts, opened_at)
    select t.kind, 'critical', t.operation_id, '00000000-0000-0000-0000-000000000000', t.provider_id, t.amount_minor,
           t.currency, t.facts, t.at from told t
    returning case_id, kind, operation_id)
insert into tekil.reconciliation_case_fact (kind, subject, truth, case_id, instance_id, facts, at)
select o.kind, o.operation_id, t.truth, o.case_id, '00000000-0000-0000-0000-000000000000', t.facts, t.at
  from opened o join told t on t.kind = o.kind and t.operation_id = o.operation_id;

-- The circuit breaker's rules, and what each engine sees of each provider.
alter table tekil.provider
    add column breaker_min_calls int not null default 20 check (breaker_min_calls between 1 and 100000),
    add column breaker_percent int not null default 50 check (breaker_percent between 1 and 100),
    add column breaker_window interval not null default '30 seconds' check (breaker_window > '0'),
    add column breaker_open interval not null default '5 seconds' check (breaker_open > '0');
comment on column tekil.provider.breaker_percent is
    'Of at least breaker_min_calls calls within breaker_window, this share without a connection or an answer opens it.';

create table tekil.provider_state (
    instance_id uuid not null references tekil.engine_instance on delete cascade,
    provider_id bigint not null references tekil.provider,
    breaker     text not null check (breaker in ('closed', 'open', 'half-open')),
    in_flight   int not null check (in_flight >= 0),
    usual_ms    int not null check (usual_ms >= 0),
    since       timestamptz not null,
    updated_at  timestamptz not null,
    primary key (instance_id, provider_id)
) with (fillfactor = 50);
comment on column tekil.provider_state.since is 'When the breaker came to this state.';
grant select, insert, update on tekil.provider_state to tekil_engine;

-- Counts the heartbeats that were committed: an engine that remembers more than its row tells knows of lost commits.
alter table tekil.engine_instance add column beats bigint not null default 0;

-- A key past its retention: the answer and the customer's words go, the hash stays; expires_at is then the tombstone's end.
alter table tekil.merchant add column tombstone_retention interval not null default '30 days'
    check (tombstone_retention between '1 day' and '10 years');
alter table tekil.idempotency_record add column shrunk_at timestamptz;
alter table tekil.idempotency_record drop constraint idempotency_record_check;
alter table tekil.idempotency_record add constraint idempotency_record_answer
    check ((status in ('Completed', 'Failed') and shrunk_at is null) = (response_body is not null));
alter table tekil.idempotency_record add constraint idempotency_record_shrunk
    check (shrunk_at is null or status in ('Completed', 'Failed') and description is null and customer_id is null);
comment on column tekil.idempotency_record.expires_at is
    'Until when its answer is kept; of a tombstone (shrunk_at), until when that is.';
create index idempotency_record_expiry on tekil.idempotency_record (expires_at) where status in ('Completed', 'Failed');

-- Failed payments that the provider may yet turn out to have captured: asked a few times more, so that a late capture is
-- found. A row goes when nothing more is to be expected.
create table tekil.late_inquiry (
    operation_id uuid primary key references tekil.payment,
    provider_id  bigint not null references tekil.provider,
    tries        int not null default 0,
    due_at       timestamptz not null
) with (fillfactor = 50);
create index late_inquiry_due on tekil.late_inquiry (due_at);
grant select, insert, update, delete on tekil.late_inquiry to tekil_engine;

insert into tekil.key_event_kind values
    ('released', 'the engine gave it back unsent, for another one to go on at once'),
    ('restored', 'its rows were lost with a failover and written again from the sender''s memory');

do $$
begin
    assert (select count(*) from tekil.case_kind) = 7, 'case kinds';
    assert not exists (select from tekil.payment p where p.status = 'Unknown'
                          and p.unknown_reason in ('posting_failed', 'amount_mismatch')
                          and not exists (select from tekil.reconciliation_case c where c.operation_id = p.operation_id)),
           'every mismatch has its case';
end
$$;
