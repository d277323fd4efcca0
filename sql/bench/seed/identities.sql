-- Seeds the business identities of payments that did not fail.
insert into tekil.business_identity (merchant_id, invoice_id, payment_type, operation_id)
select d.merchant_id, d.invoice_id, 'sale', d.operation_id from bench_draft d where d.status <> 'Failed'
