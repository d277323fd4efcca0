-- needs: console/version
-- About how many payments there are, as the planner last counted; a list never counts its table.
create view console.payment_estimate as
select case when c.reltuples >= 0 then c.reltuples::bigint end as payments
  from pg_catalog.pg_class c where c.oid = 'tekil.payment'::pg_catalog.regclass;
grant select on console.payment_estimate to tekil_support, tekil_auditor, tekil_admin;
