-- needs: console/version
-- The way a payment has taken, one row a change of state.
create view console.payment_state_change as
select s.operation_id, s.version, s.from_status, s.to_status, s.cause, s.instance_id,
       (extract(epoch from s.at) * 1000000)::bigint as at_us
  from tekil.payment_state_change s;
grant select on console.payment_state_change to tekil_support, tekil_auditor, tekil_admin;
