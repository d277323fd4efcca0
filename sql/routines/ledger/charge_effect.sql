-- What a captured charge posts, decided from rows alone: the payer is debited, the merchant's collection account
-- credited, the reservation finalized. Parts are 'entry' (signed: credits positive) and 'reservation'.
create or replace function tekil.charge_effect(operation_ids uuid[])
    returns table (operation_id uuid, part text, line smallint, account_id bigint, amount_minor bigint, currency text,
                   reservation_status text)
    language sql stable
    set search_path = pg_catalog
as $$
    select p.operation_id, e.part, e.line, e.account_id, e.amount_minor, p.currency, e.reservation_status
      from unnest(operation_ids) as wanted (operation_id)
      join tekil.payment p on p.operation_id = wanted.operation_id
      cross join lateral (values
          ('entry', 1::smallint, p.account_id, -p.amount_minor, null),
          ('entry', 2::smallint, p.collection_account_id, p.amount_minor, null),
          ('reservation', null, p.account_id, p.amount_minor, 'Finalized'))
          as e (part, line, account_id, amount_minor, reservation_status)
$$;
revoke all on function tekil.charge_effect(uuid[]) from public;
grant execute on function tekil.charge_effect(uuid[]) to tekil_engine;
