-- Moves seconds that nobody draws any more into the totals, and forgets old signs of life. Any number of engines may:
-- what another one folds just now is passed over, and a second that is counted late is folded the next time.
create or replace function tekil.fold_flow(older_than interval) returns bigint
    language plpgsql
    set search_path = pg_catalog
as $$
declare
    folded bigint;
begin
    delete from tekil.engine_beat b
     using (select o.second, o.instance_id from tekil.engine_beat o where o.second < clock_timestamp() - older_than
             order by o.second, o.instance_id limit 5000 for update skip locked) o
     where b.second = o.second and b.instance_id = o.instance_id;
    with old as (
        select f.second, f.instance_id, f.step, f.from_status, f.to_status, f.currency from tekil.payment_flow f
         where f.second < clock_timestamp() - older_than
         order by f.second, f.instance_id, f.step, f.from_status, f.to_status, f.currency
         limit 5000 for update skip locked),
    gone as (
        delete from tekil.payment_flow f using old o
         where f.second = o.second and f.instance_id = o.instance_id and f.step = o.step
           and f.from_status = o.from_status and f.to_status = o.to_status and f.currency = o.currency
        returning f.from_status, f.to_status, f.currency, f.payments, f.amount_minor),
    kept as (
        insert into tekil.payment_total as t (from_status, to_status, currency, payments, amount_minor)
        select g.from_status, g.to_status, g.currency, sum(g.payments)::bigint, sum(g.amount_minor) from gone g
         group by g.from_status, g.to_status, g.currency
         order by g.from_status, g.to_status, g.currency
        on conflict (from_status, to_status, currency)
        do update set payments = t.payments + excluded.payments, amount_minor = t.amount_minor + excluded.amount_minor)
    select count(*) into folded from gone;
    return folded;
end
$$;
revoke all on function tekil.fold_flow(interval) from public;
grant execute on function tekil.fold_flow(interval) to tekil_engine;
