-- Whatever contradicts the books has its case, and a case tells its payment's money. A row names what does not hold.
create or replace function tekil.verify_cases() returns table (subject text, problem text)
    language sql stable
    set search_path = pg_catalog
as $$
    select 'payment ' || p.operation_id, 'is Unknown by ' || p.unknown_reason || ' without a case'
      from tekil.payment p
      join (values ('amount_mismatch', 'amount_mismatch'), ('posting_failed', 'cannot_post')) as w (reason, kind)
        on w.reason = p.unknown_reason
     where p.status = 'Unknown'
       and not exists (select from tekil.reconciliation_case c where c.operation_id = p.operation_id and c.kind = w.kind)
    union all
    select 'payment ' || p.operation_id, 'is ' || p.status || ' and was ' || (k.facts ->> 'proof') || ' later, without a case'
      from tekil.key_event k join tekil.payment p on p.operation_id = k.operation_id
     where k.kind = 'lease_lost'
       and (p.status = 'Failed' and k.facts ->> 'proof' = 'captured'
            or p.status = 'Completed' and k.facts ->> 'proof' in ('declined', 'refused'))
       and not exists (select from tekil.reconciliation_case c where c.operation_id = p.operation_id
                          and c.kind = case p.status when 'Failed' then 'late_capture' else 'late_decline' end)
    union all
    select 'case ' || c.case_id, 'tells ' || c.at_risk_minor || ' ' || c.currency || ', its payment is of '
           || p.amount_minor || ' ' || p.currency
      from tekil.reconciliation_case c join tekil.payment p on p.operation_id = c.operation_id
     where (c.at_risk_minor, c.currency) is distinct from (p.amount_minor, p.currency)
    union all
    select 'case ' || c.case_id, 'has no fact'
      from tekil.reconciliation_case c
     where not exists (select from tekil.reconciliation_case_fact f where f.case_id = c.case_id)
$$;
revoke all on function tekil.verify_cases() from public;
grant execute on function tekil.verify_cases() to tekil_engine;
