-- Seeds the history of the keys.
insert into tekil.key_event (merchant_id, idempotency_key, operation_id, kind, instance_id, facts, at)
select d.merchant_id, d.idempotency_key, d.operation_id, e.kind, $1, e.facts, d.created_at + e.after
  from bench_draft d
  cross join lateral (values
      ('claimed', '{}'::jsonb, interval '0'), ('accepted', '{}', interval '2 milliseconds'),
      ('attempt', '{"attempt": 1}', interval '4 milliseconds'),
      (case d.status when 'Processing' then null when 'Unknown' then 'no_answer' else 'answer' end,
       jsonb_build_object('attempt', 1, 'proof', case d.status when 'Completed' then 'captured' when 'Failed' then 'declined'
                                                     else 'unknown' end), interval '180 milliseconds'))
      as e (kind, facts, after)
 where e.kind is not null
