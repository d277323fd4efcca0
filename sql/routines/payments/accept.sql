-- needs: payments/payment_body
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
    held tekil.idempotency_record[];
    winners uuid[];
    losers uuid[];
    first_of jsonb;
    accepted uuid[] := '{}';
    declined uuid[] := '{}';
    codes text[] := '{}';
    candidate record;
    current_account bigint;
    available bigint;
    usable boolean;
    moment timestamptz;
begin
    select coalesce(array_agg(l.r), '{}') into held
      from (select r from unnest(operation_ids, lease_epochs) as i (operation_id, lease_epoch)
              join tekil.idempotency_record r on r.operation_id = i.operation_id and r.lease_epoch = i.lease_epoch
             where r.status = 'Processing'
               and not exists (select from tekil.payment p where p.operation_id = i.operation_id)
             order by r.merchant_id, r.idempotency_key for no key update of r) l;
    moment := clock_timestamp();

    with taken as (
        insert into tekil.business_identity (merchant_id, invoice_id, payment_type, operation_id)
        select h.merchant_id, h.invoice_id, h.payment_type, h.operation_id from unnest(held) h
         order by h.merchant_id, h.invoice_id collate "C", h.payment_type collate "C"
        on conflict do nothing
        returning operation_id)
    select coalesce(array_agg(taken.operation_id), '{}') into winners from taken;

    -- A new statement: the row that was waited for is not in the insert's own snapshot.
    if cardinality(winners) < cardinality(held) then
        select array_agg(h.operation_id), jsonb_object_agg(h.operation_id, b.operation_id) into losers, first_of
          from unnest(held) h
          join tekil.business_identity b on b.merchant_id = h.merchant_id and b.invoice_id = h.invoice_id
           and b.payment_type = h.payment_type
         where h.operation_id <> all (winners) and b.operation_id <> h.operation_id;
        delete from tekil.idempotency_record r where r.operation_id = any (losers);
        insert into tekil.key_event (merchant_id, idempotency_key, operation_id, kind, instance_id, facts, at)
        select h.merchant_id, h.idempotency_key, h.operation_id, 'refused', instance,
               jsonb_build_object('code', 'duplicate-operation', 'firstOperationId', first_of ->> h.operation_id::text), moment
          from unnest(held) h where h.operation_id = any (losers);
    end if;

    insert into tekil.account (kind, purpose, collection_of, owner_name, currency, normal_side)
    select distinct 'merchant', 'collection', h.merchant_id, m.name || ' collection', h.currency, 'credit'
      from unnest(held) h join tekil.merchant m on m.merchant_id = h.merchant_id
     where h.operation_id = any (winners)
       and not exists (select from tekil.account c where c.collection_of = h.merchant_id and c.currency = h.currency)
     order by h.merchant_id, h.currency
    on conflict do nothing;

    perform from tekil.account a
     where a.account_id in (select h.account_id from unnest(held) h where h.operation_id = any (winners))
     order by a.account_id for no key update;

    for candidate in
        select h.operation_id, h.account_id, h.amount_minor, a.available_minor, a.may_overdraw, a.status
          from unnest(held) h
          join unnest(operation_ids) with ordinality as i (operation_id, arrival) on i.operation_id = h.operation_id
          join tekil.account a on a.account_id = h.account_id
         where h.operation_id = any (winners)
         order by h.account_id, i.arrival
    loop
        if current_account is distinct from candidate.account_id then
            current_account := candidate.account_id;
            available := candidate.available_minor;
            usable := candidate.status = 'open';
        end if;
        if usable and (candidate.may_overdraw or candidate.amount_minor <= available) then
            available := available - candidate.amount_minor;
            accepted := accepted || candidate.operation_id;
        else
            declined := declined || candidate.operation_id;
            codes := codes || case when usable then 'insufficient_funds' else 'account_closed' end;
        end if;
    end loop;

    insert into tekil.payment (operation_id, merchant_id, idempotency_key, account_id, collection_account_id, provider_id,
        customer_id, payment_type, invoice_id, invoice_is_number, amount_minor, currency, description, status,
        decline_code, message_sequence, created_at, updated_at, completed_at)
    select h.operation_id, h.merchant_id, h.idempotency_key, h.account_id, c.account_id, h.provider_id, h.customer_id,
           h.payment_type, h.invoice_id, h.invoice_is_number, h.amount_minor, h.currency, h.description,
           case when d.code is null then 'Processing' else 'Failed' end, d.code, 1, h.created_at, moment,
           case when d.code is not null then moment end
      from unnest(held) h
      join tekil.account c on c.collection_of = h.merchant_id and c.currency = h.currency
      left join unnest(declined, codes) as d (operation_id, code) on d.operation_id = h.operation_id
     where h.operation_id = any (winners);

    insert into tekil.balance_reservation (operation_id, account_id, amount_minor, currency, status, created_at, expires_at)
    select h.operation_id, h.account_id, h.amount_minor, h.currency, 'Active', moment, moment + interval '24 hours'
      from unnest(held) h where h.operation_id = any (accepted);

    update tekil.account a
       set available_minor = a.available_minor - d.amount, reserved_minor = a.reserved_minor + d.amount
      from (select h.account_id, sum(h.amount_minor)::bigint as amount from unnest(held) h
             where h.operation_id = any (accepted) group by h.account_id) d
     where a.account_id = d.account_id;

    insert into tekil.outbox_message (operation_id, sequence, kind, body, next_at, created_at)
    select h.operation_id, 1, case when h.operation_id = any (accepted) then 'PaymentRequested' else 'PaymentFailed' end,
           tekil.payment_body(p.operation_id, p.status, p.invoice_id, p.invoice_is_number, p.amount_minor, p.currency,
               null, p.decline_code, null, p.created_at, p.completed_at), moment, moment
      from unnest(held) h join tekil.payment p on p.operation_id = h.operation_id
     where h.operation_id = any (winners);

    insert into tekil.key_event (merchant_id, idempotency_key, operation_id, kind, instance_id, facts, at)
    select h.merchant_id, h.idempotency_key, h.operation_id, case when d.code is null then 'accepted' else 'declined' end,
           instance, case when d.code is null then '{}' else jsonb_build_object('code', d.code) end, moment
      from unnest(held) h
      left join unnest(declined, codes) as d (operation_id, code) on d.operation_id = h.operation_id
     where h.operation_id = any (winners);

    if cardinality(declined) > 0 then
        insert into tekil.payment_state_change (operation_id, version, from_status, to_status, cause, instance_id, at)
        select d.operation_id, 1, 'Processing', 'Failed', d.code, instance, moment
          from unnest(declined, codes) as d (operation_id, code);
        delete from tekil.business_identity b using unnest(held) h
         where h.operation_id = any (declined) and b.merchant_id = h.merchant_id and b.invoice_id = h.invoice_id
           and b.payment_type = h.payment_type and b.operation_id = h.operation_id;
        update tekil.idempotency_record r
           set status = 'Failed', response_status = 402, completed_at = moment, locked_until = null,
               lease_holder = null, lease_epoch = r.lease_epoch + 1,
               response_body = (select m.body from tekil.outbox_message m where m.operation_id = h.operation_id and m.sequence = 1)
          from unnest(held) h
         where h.operation_id = any (declined) and r.merchant_id = h.merchant_id and r.idempotency_key = h.idempotency_key;
    end if;
    perform tekil.count_transitions('accept', winners, declined, instance, moment);

    return query
    select i.operation_id,
           case when i.operation_id = any (accepted) then 'accepted'
                when i.operation_id = any (declined) then 'declined'
                when i.operation_id = any (losers) then 'duplicate'
                when exists (select from unnest(held) h where h.operation_id = i.operation_id) then 'again'
                when r.status = 'Failed' then 'declined'
                when r.status = 'Processing' and r.lease_epoch = i.lease_epoch then 'accepted'
                else 'lost' end,
           (first_of ->> i.operation_id::text)::uuid, r.response_status, r.response_body
      from unnest(operation_ids, lease_epochs) as i (operation_id, lease_epoch)
      left join tekil.idempotency_record r on r.operation_id = i.operation_id;
end
$$;
revoke all on function tekil.accept_payments(uuid[], bigint[], uuid) from public;
grant execute on function tekil.accept_payments(uuid[], bigint[], uuid) to tekil_engine;
