-- needs: ledger/effect_row
-- Writes what effect functions returned: reservations end, accounts move by netted deltas, entries are posted.
-- The caller holds the records and payments; reservations and accounts are locked here, in their order.
-- No condition is one that a partial index has: such an index looks small, and read whole a row it is not.
create or replace function tekil.post_effects(effects tekil.effect_row[], transaction_kind text, posted_by text,
    posted_at timestamptz) returns void
    language plpgsql
    set search_path = pg_catalog
as $$
declare
    ended int;
    wanted int;
begin
    perform from tekil.balance_reservation r
     where r.operation_id = any (array(select e.operation_id from unnest(effects) e where e.part = 'reservation'))
     order by r.operation_id for no key update;
    perform from tekil.account a
     where a.account_id = any (array(select distinct e.account_id from unnest(effects) e))
     order by a.account_id for no key update;

    update tekil.balance_reservation r
       set status = e.reservation_status, ended_at = posted_at
      from unnest(effects) e
     where e.part = 'reservation' and r.operation_id = e.operation_id and r.ended_at is null
       and (r.account_id, r.amount_minor) is not distinct from (e.account_id, e.amount_minor);
    get diagnostics ended = row_count;
    select count(*) into wanted from unnest(effects) e where e.part = 'reservation';
    if ended <> wanted then
        raise exception 'a reservation is not as its effect says' using errcode = 'P0001';
    end if;

    update tekil.account a
       set available_minor = a.available_minor + d.freed + case a.normal_side when 'credit' then d.posted else -d.posted end,
           reserved_minor = a.reserved_minor - d.freed
      from (select e.account_id,
                   coalesce(sum(e.amount_minor) filter (where e.part = 'entry'), 0)::bigint as posted,
                   coalesce(sum(e.amount_minor) filter (where e.part = 'reservation'), 0)::bigint as freed
              from unnest(effects) e group by e.account_id) d
     where a.account_id = d.account_id;

    insert into tekil.ledger_transaction (transaction_id, kind, operation_id, posted_by, posted_at)
    select distinct e.operation_id, transaction_kind, e.operation_id, posted_by, posted_at
      from unnest(effects) e where e.part = 'entry';
    insert into tekil.ledger_entry (transaction_id, line, account_id, amount_minor, currency, posted_at)
    select e.operation_id, e.line, e.account_id, e.amount_minor, e.currency, posted_at
      from unnest(effects) e where e.part = 'entry';
end
$$;
revoke all on function tekil.post_effects(tekil.effect_row[], text, text, timestamptz) from public;
grant execute on function tekil.post_effects(tekil.effect_row[], text, text, timestamptz) to tekil_engine;
