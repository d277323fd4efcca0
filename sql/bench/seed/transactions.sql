-- Seeds the ledger's transactions of payments that were captured.
insert into tekil.ledger_transaction (transaction_id, kind, operation_id, posted_by, posted_at)
select d.operation_id, 'charge', d.operation_id, 'engine ' || $1::uuid, d.ended_at from bench_draft d where d.status = 'Completed'
