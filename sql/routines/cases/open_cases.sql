-- Opens cases, in the transaction of what they are about. The same truth told again, even of a resolved case, changes
-- nothing; another truth of an open case is added to it. Returns how many were opened.
-- The caller needs no lock: what two transactions tell at once is one case by the unique index.
create or replace function tekil.open_cases(kinds text[], operation_ids uuid[], truths text[], told jsonb[], instance uuid)
    returns int
    language plpgsql
    set search_path = pg_catalog
as $$
#variable_conflict use_column
declare
    opened int;
    moment timestamptz := clock_timestamp();
begin
    insert into tekil.reconciliation_case (kind, severity, operation_id, instance_id, provider_id, at_risk_minor, currency,
        facts, opened_at)
    select i.kind, k.severity, i.operation_id, instance, p.provider_id, p.amount_minor, p.currency, i.facts, moment
      from unnest(kinds, operation_ids, truths, told) as i (kind, operation_id, truth, facts)
      join tekil.case_kind k on k.kind = i.kind
      left join tekil.payment p on p.operation_id = i.operation_id
     where not exists (select from tekil.reconciliation_case_fact f
                        where f.kind = i.kind and f.subject = coalesce(i.operation_id, instance) and f.truth = i.truth)
     order by i.kind, i.operation_id
    on conflict do nothing;
    get diagnostics opened = row_count;

    -- A new statement, so that a case which another transaction has just opened is seen.
    insert into tekil.reconciliation_case_fact (kind, subject, truth, case_id, instance_id, facts, at)
    select distinct on (i.kind, c.case_id, i.truth)
           i.kind, coalesce(i.operation_id, instance), i.truth, c.case_id, instance, i.facts, moment
      from unnest(kinds, operation_ids, truths, told) as i (kind, operation_id, truth, facts)
      join tekil.reconciliation_case c on c.kind = i.kind and c.state = 'open'
       and coalesce(c.operation_id, c.instance_id) = coalesce(i.operation_id, instance)
     order by i.kind, c.case_id, i.truth
    on conflict do nothing;
    return opened;
end
$$;
revoke all on function tekil.open_cases(text[], uuid[], text[], jsonb[], uuid) from public;
grant execute on function tekil.open_cases(text[], uuid[], text[], jsonb[], uuid) to tekil_engine;
