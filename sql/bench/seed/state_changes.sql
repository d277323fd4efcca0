-- Seeds how the payments came to their state.
insert into tekil.payment_state_change (operation_id, version, from_status, to_status, cause, at)
select d.operation_id, 2, 'Processing', d.status,
       case d.status when 'Completed' then 'captured' when 'Failed' then 'do_not_honor' else 'no_answer' end, d.ended_at
  from bench_draft d where d.status <> 'Processing'
