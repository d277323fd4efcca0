-- needs: payments/accept_row
-- Accept's fence: locks, in key order, the records of claims that are still the caller's and not yet accepted. A claim
-- that does not come back is lost, or was accepted before. Opens collection accounts when first needed.
create or replace function tekil.lock_claims(operation_ids uuid[], lease_epochs bigint[]) returns tekil.accept_row[]
    language plpgsql
    set search_path = pg_catalog
as $$
declare
    held tekil.accept_row[];
    without_account boolean;
begin
    select array_agg(row (l.arrival, l.operation_id, l.merchant_id, l.idempotency_key, l.provider_id, l.account_id,
               l.collection_id, l.customer_id, l.payment_type, l.invoice_id, l.invoice_is_number, l.amount_minor,
               l.currency, l.exponent, l.description, l.created_at, null)::tekil.accept_row),
           bool_or(l.collection_id is null)
      into held, without_account
      from (select i.arrival, r.*, c.account_id as collection_id, u.exponent
              from unnest(operation_ids, lease_epochs) with ordinality as i (operation_id, lease_epoch, arrival)
              join tekil.idempotency_record r on r.operation_id = i.operation_id and r.lease_epoch = i.lease_epoch
              join tekil.currency u on u.code = r.currency
              left join tekil.account c on c.collection_of = r.merchant_id and c.currency = r.currency
             where r.completed_at is null and r.status <> 'Unknown'
               and not exists (select from tekil.payment p where p.operation_id = i.operation_id)
             order by r.merchant_id, r.idempotency_key for no key update of r) l;
    if without_account then
        insert into tekil.account (kind, purpose, collection_of, owner_name, currency, normal_side)
        select distinct 'merchant', 'collection', h.merchant_id, m.name || ' collection', h.currency, 'credit'
          from unnest(held) h join tekil.merchant m on m.merchant_id = h.merchant_id
         where h.collection_account_id is null
         order by h.merchant_id, h.currency
        on conflict do nothing;
        for at in 1 .. cardinality(held) loop
            held[at].collection_account_id := (select c.account_id from tekil.account c
                where c.collection_of = held[at].merchant_id and c.currency = held[at].currency);
        end loop;
    end if;
    return coalesce(held, '{}');
end
$$;
revoke all on function tekil.lock_claims(uuid[], bigint[]) from public;
grant execute on function tekil.lock_claims(uuid[], bigint[]) to tekil_engine;
