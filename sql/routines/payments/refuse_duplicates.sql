-- needs: payments/accept_row
-- Takes back the claims whose invoice another operation has: the key is not burned, an event says why.
-- `winners` have just taken their identity. Who is neither there nor in the answer finds the identity gone meanwhile,
-- or its own, written by a call of the same whose answer was lost: it is tried again.
create or replace function tekil.refuse_duplicates(held tekil.accept_row[], winners uuid[], instance uuid,
    moment timestamptz) returns table (operation_id uuid, first_operation_id uuid)
    language sql
    set search_path = pg_catalog
as $$
    with loser as (
        select h.merchant_id, h.idempotency_key, h.operation_id, b.operation_id as first_operation_id
          from unnest(held) h
          join tekil.business_identity b on b.merchant_id = h.merchant_id and b.invoice_id = h.invoice_id
           and b.payment_type = h.payment_type
         where h.operation_id <> all (winners) and b.operation_id <> h.operation_id),
    dropped as (
        delete from tekil.idempotency_record r using loser l where r.operation_id = l.operation_id),
    told as (
        insert into tekil.key_event (merchant_id, idempotency_key, operation_id, kind, instance_id, facts, at)
        select l.merchant_id, l.idempotency_key, l.operation_id, 'refused', instance,
               jsonb_build_object('code', 'duplicate-operation', 'firstOperationId', l.first_operation_id), moment
          from loser l)
    select l.operation_id, l.first_operation_id from loser l
$$;
revoke all on function tekil.refuse_duplicates(tekil.accept_row[], uuid[], uuid, timestamptz) from public;
grant execute on function tekil.refuse_duplicates(tekil.accept_row[], uuid[], uuid, timestamptz) to tekil_engine;
