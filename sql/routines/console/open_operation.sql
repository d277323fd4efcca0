-- needs: console/version
-- Operations that have not ended: few, and found by their own partial index.
create view console.open_operation as
select r.operation_id, r.status from tekil.idempotency_record r where r.status in ('Processing', 'Unknown');
grant select on console.open_operation to tekil_support, tekil_auditor, tekil_admin;
