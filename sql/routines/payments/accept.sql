-- needs: payments/lock_claims payments/refuse_duplicates payments/fold_balances payments/write_acceptance payments/write_declines overview/count_transitions
-- Accepts claimed operations of one batch, in arrival order: the business identity is taken, the payer's money is
-- reserved over the locked balance, and the payment exists. Locks: records, identities, accounts, each in key order.
-- Outcomes: accepted | declined (with the stored answer) | duplicate (claim deleted) | lost (lease) | again (later).
-- Asked again after a lost answer, it tells what the first call did.
create or replace function tekil.accept_payments(operation_ids uuid[], lease_epochs bigint[], instance uuid)
    returns table (operation_id uuid, outcome text, first_operation_id uuid, response_status smallint, response_body text)
    language plpgsql
    set search_path = pg_catalog
as $$
#variable_conflict use_column
declare
    held tekil.accept_row[] := tekil.lock_claims(operation_ids, lease_epochs);
    moment timestamptz := clock_timestamp();
    winners uuid[];
    decided tekil.accept_row[];
    declined tekil.accept_row[];
    refused uuid[] := '{}';
    told uuid[];
begin
    with taken as (
        insert into tekil.business_identity (merchant_id, invoice_id, payment_type, operation_id)
        select h.merchant_id, h.invoice_id, h.payment_type, h.operation_id from unnest(held) h
         order by h.merchant_id, h.invoice_id collate "C", h.payment_type collate "C", h.arrival
        on conflict do nothing
        returning operation_id)
    select coalesce(array_agg(taken.operation_id), '{}') into winners from taken;

    if cardinality(winners) < cardinality(held) then
        -- A new statement: the row that was waited for is not in the insert's own snapshot.
        return query
        select d.operation_id, 'duplicate', d.first_operation_id, null::smallint, null::text
          from tekil.refuse_duplicates(held, winners, instance, moment) d;
        refused := array(select h.operation_id from unnest(held) h where h.operation_id <> all (winners));
        held := array(select h from unnest(held) h where h.operation_id = any (winners));
    end if;

    decided := tekil.fold_balances(held);
    perform tekil.write_acceptance(decided, instance, moment);
    declined := array(select d from unnest(decided) d where d.decline_code is not null);
    -- The batch's transitions: each of `decided` came to be Processing, and each of `declined` went on to Failed.
    if cardinality(declined) > 0 then
        perform tekil.write_declines(declined, instance, moment);
    end if;
    perform tekil.count_transitions('accept', array(select d.operation_id from unnest(decided) d),
        array(select d.operation_id from unnest(declined) d), instance, moment);

    return query
    select d.operation_id, 'accepted', null::uuid, null::smallint, null::text
      from unnest(decided) d where d.decline_code is null;
    if cardinality(decided) - cardinality(declined) = cardinality(operation_ids) then
        return;
    end if;
    -- The rest is told from its record: declined now or before, accepted before, or lost.
    told := array(select d.operation_id from unnest(decided) d where d.decline_code is null);
    return query
    select i.operation_id,
           case when i.operation_id = any (refused) then 'again'
                when r.status = 'Failed' then 'declined'
                when r.status = 'Processing' and r.lease_epoch = i.lease_epoch then 'accepted'
                else 'lost' end, null::uuid, r.response_status, r.response_body
      from unnest(operation_ids, lease_epochs) as i (operation_id, lease_epoch)
      left join tekil.idempotency_record r on r.operation_id = i.operation_id
     where i.operation_id <> all (told)
       and (r.operation_id is not null or i.operation_id <> all (refused));
end
$$;
revoke all on function tekil.accept_payments(uuid[], bigint[], uuid) from public;
grant execute on function tekil.accept_payments(uuid[], bigint[], uuid) to tekil_engine;
