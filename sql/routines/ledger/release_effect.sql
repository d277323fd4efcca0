-- What the end of a charge that took no money posts: nothing in the ledger; the reservation is released.
create or replace function tekil.release_effect(operation_ids uuid[])
    returns table (operation_id uuid, part text, line smallint, account_id bigint, amount_minor bigint, currency text,
                   reservation_status text)
    language sql stable
    set search_path = pg_catalog
as $$
    select r.operation_id, 'reservation', null::smallint, r.account_id, r.amount_minor, r.currency, 'Released'
      from unnest(operation_ids) as wanted (operation_id)
      join tekil.balance_reservation r on r.operation_id = wanted.operation_id
$$;
revoke all on function tekil.release_effect(uuid[]) from public;
grant execute on function tekil.release_effect(uuid[]) to tekil_engine;
