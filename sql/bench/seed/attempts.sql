-- Seeds the attempts at the provider; one under way is open, as a killed engine leaves it.
insert into tekil.provider_attempt (operation_id, attempt, provider_id, lease_epoch, instance_id, request_body, send_before,
    state, http_status, answer_body, started_at, ended_at)
select d.operation_id, 1, $1, 1, $2, b.charge || '}', d.created_at + interval '29.5 seconds',
       case d.status when 'Processing' then 'open' when 'Unknown' then 'no_answer' else 'answered' end,
       case when d.status in ('Completed', 'Failed') then 201 end,
       case when d.status in ('Completed', 'Failed') then b.charge || ',"status":"'
            || case d.status when 'Completed' then 'captured' else 'declined' end || '"}' end,
       d.created_at + interval '4 milliseconds', case when d.status <> 'Processing' then d.ended_at end
  from bench_draft d
  cross join lateral (select '{"operationId":"' || d.operation_id || '","merchantReference":"' || d.invoice_id
                             || '","amount":"' || tekil.amount_text(d.amount_minor, 2) || '","currency":"TRY"' as charge) b
