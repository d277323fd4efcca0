-- What people must look at of a payment, the newest first.
select c.kind, c.state, c.opened_us from console.reconciliation_case c where c.operation_id = :operation_id::uuid
 order by c.case_id desc
