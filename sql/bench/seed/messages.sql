-- Seeds the outbox: what was told when the payment was accepted and when it changed.
insert into tekil.outbox_message (operation_id, sequence, kind, body, state, next_at, created_at)
select d.operation_id, s.sequence, case s.sequence when 1 then 'PaymentRequested' else 'Payment' || d.status end,
       tekil.payment_body(d.operation_id, case s.sequence when 1 then 'Processing' else d.status end, d.invoice_id, true,
           d.amount_minor, 'TRY',
           case when s.sequence = 2 and d.status = 'Completed' then 'BNK-' || d.invoice_id end,
           case when s.sequence = 2 and d.status = 'Failed' then 'do_not_honor' end, null, d.created_at,
           case when s.sequence = 2 and d.status in ('Completed', 'Failed') then d.ended_at end),
       case d.status when 'Processing' then 'pending' else 'sent' end, d.created_at, d.created_at
  from bench_draft d cross join (values (1), (2)) s (sequence)
 where s.sequence = 1 or d.status <> 'Processing'
