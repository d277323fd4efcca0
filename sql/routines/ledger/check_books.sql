-- needs: ledger/account_measure
-- One check of the books where it is due and no other engine is at it: balances against entries and reservations,
-- transactions against zero, debits against credits. It reads snapshots and locks nothing that a payment needs.
-- An account that differs is measured from its first entry before it is called wrong, since an entry may have been
-- committed later than the checkpoint thought. The next check waits ten times as long as this one took, at least.
create or replace function tekil.check_books(instance uuid, cadence interval)
    returns table (open_problems bigint, first_problem text)
    language plpgsql
    set search_path = pg_catalog
as $$
#variable_conflict use_column
declare
    turn tekil.books_turn;
    moment timestamptz;
    horizon timestamptz;
    due bigint[];
    whole bigint[];
    differing bigint[];
    measures tekil.account_measure[];
    last_account bigint;
    wrong_kinds text[];
    wrong_subjects text[];
    wrong_problems text[];
    summed bigint;
    totals jsonb;
begin
    select t.* into turn from tekil.books_turn t where t.next_at <= clock_timestamp() for no key update skip locked;
    if not found then
        return;
    end if;
    moment := clock_timestamp();
    horizon := moment - interval '20 seconds';
    select coalesce(array_agg(d.account_id), '{}'), coalesce(array_agg(d.account_id) filter (where d.whole), '{}'),
           max(d.account_id) filter (where d.in_pass)
      into due, whole, last_account from tekil.books_due(turn) d;

    measures := array(select row (m.*)::tekil.account_measure from tekil.measure_accounts(due, whole, horizon) m);
    select coalesce(array_agg(m.account_id), '{}') into differing
      from unnest(measures) m where m.balance <> m.posted and m.account_id <> all (whole);
    if cardinality(differing) > 0 then
        whole := whole || differing;
        measures := array(select row (m.*)::tekil.account_measure from unnest(measures) m where m.account_id <> all (differing))
            || array(select row (m.*)::tekil.account_measure from tekil.measure_accounts(differing, differing, horizon) m);
    end if;

    select coalesce(jsonb_agg(jsonb_build_object('currency', b.currency, 'credit', b.credit::text, 'debit', b.debit::text)
               order by b.currency), '[]') into totals from tekil.trial_balance() b;
    select coalesce(array_agg(f.kind) filter (where f.kind is not null), '{}'),
           coalesce(array_agg(f.subject) filter (where f.kind is not null), '{}'),
           coalesce(array_agg(f.problem) filter (where f.kind is not null), '{}'), max(f.looked_at)
      into wrong_kinds, wrong_subjects, wrong_problems, summed from tekil.books_findings(measures, horizon, totals) f;
    perform tekil.record_problems(due, wrong_kinds, wrong_subjects, wrong_problems, moment);

    insert into tekil.account_checkpoint as c (account_id, posted_minor, entries, until, whole_at)
    select m.account_id, m.settled, m.settled_entries, horizon, moment from unnest(measures) m
     where m.since < horizon - interval '10 seconds' order by m.account_id
    on conflict (account_id) do update
       set posted_minor = excluded.posted_minor, entries = excluded.entries, until = excluded.until,
           whole_at = case when c.account_id = any (whole) then excluded.whole_at else c.whole_at end;
    insert into tekil.books_check (instance_id, started_at, ended_at, accounts, entries, transactions, problems, totals)
    select instance, moment, clock_timestamp(), cardinality(due), coalesce(sum(m.fresh_entries), 0)::bigint, summed,
           (select count(*) from tekil.books_problem), totals
      from unnest(measures) m;
    delete from tekil.books_check c where c.ended_at < moment - interval '1 day';
    if not exists (select from tekil.account a where a.account_id > last_account) then
        last_account := 0;
    end if;
    update tekil.books_turn t
       set next_at = clock_timestamp() + greatest(cadence, (clock_timestamp() - moment) * 10),
           touched_from = moment - interval '1 minute', cursor_account = coalesce(last_account, 0),
           pass_ended_at = case when coalesce(last_account, 0) = 0 then moment else t.pass_ended_at end;
    return query select count(*), min(p.kind || ' ' || p.subject || ': ' || p.problem) from tekil.books_problem p;
end
$$;
revoke all on function tekil.check_books(uuid, interval) from public;
grant execute on function tekil.check_books(uuid, interval) to tekil_engine;
