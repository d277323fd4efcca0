-- needs: console/reads_customers
-- What people must look at, newest first by (opened_us, case_id). What the provider said is masked for support.
create view console.reconciliation_case as
select c.case_id, c.kind, c.severity, k.meaning, c.state, c.operation_id, p.merchant_id, m.name as merchant, p.idempotency_key,
       p.invoice_id, p.status as payment_status, p.account_id, v.name as provider, c.at_risk_minor, c.currency, r.exponent,
       case when console.reads_customers() then c.facts else c.facts - 'answer' end as facts,
       (select count(*) from tekil.reconciliation_case_fact f where f.case_id = c.case_id) as truths,
       c.instance_id, c.opened_at, (extract(epoch from c.opened_at) * 1000000)::bigint as opened_us,
       (extract(epoch from c.resolved_at) * 1000000)::bigint as resolved_us
  from tekil.reconciliation_case c
  join tekil.case_kind k on k.kind = c.kind
  left join tekil.payment p on p.operation_id = c.operation_id
  left join tekil.merchant m on m.merchant_id = p.merchant_id
  left join tekil.provider v on v.provider_id = c.provider_id
  left join tekil.currency r on r.code = c.currency;
grant select on console.reconciliation_case to tekil_support, tekil_auditor, tekil_admin;
