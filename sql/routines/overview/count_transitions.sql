-- Counts, in the transaction that makes them, payments that came to be and payments whose status changed just now.
-- Called last: the rows it locks belong to one step of one engine and are let go by the COMMIT that follows.
create or replace function tekil.count_transitions(step text, created uuid[], changed uuid[], instance uuid, moment timestamptz)
    returns void
    language plpgsql
    set search_path = pg_catalog
as $$
#variable_conflict use_variable
begin
    if cardinality(created) + cardinality(changed) = 0 then
        return;
    end if;
    insert into tekil.payment_flow as f (second, instance_id, step, from_status, to_status, currency, payments, amount_minor)
    select date_trunc('second', moment), instance, step, t.from_status, t.to_status, t.currency, count(*), sum(t.amount_minor)
      from (select 'New' as from_status, 'Processing' as to_status, p.currency, p.amount_minor
              from tekil.payment p where p.operation_id = any (created)
             union all
            select c.from_status, c.to_status, p.currency, p.amount_minor
              from tekil.payment p
              join tekil.payment_state_change c on c.operation_id = p.operation_id and c.version = p.version
             where p.operation_id = any (changed)) t
     group by t.from_status, t.to_status, t.currency
     order by t.from_status, t.to_status, t.currency
    on conflict on constraint payment_flow_pkey
    do update set payments = f.payments + excluded.payments, amount_minor = f.amount_minor + excluded.amount_minor;
end
$$;
revoke all on function tekil.count_transitions(text, uuid[], uuid[], uuid, timestamptz) from public;
grant execute on function tekil.count_transitions(text, uuid[], uuid[], uuid, timestamptz) to tekil_engine;
