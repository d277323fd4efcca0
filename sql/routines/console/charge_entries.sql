-- needs: console/version ledger/charge_effect
-- What a capture of this payment would write: the rows of tekil.charge_effect, with the accounts' names.
create function console.charge_entries(operation_id uuid)
    returns table (line smallint, account_id bigint, owner_name text, amount_minor bigint, currency text, exponent smallint)
    language sql stable security definer
    set search_path = pg_catalog
as $$
    select e.line, e.account_id, a.owner_name, e.amount_minor, e.currency, c.exponent
      from tekil.charge_effect(array[charge_entries.operation_id]) e
      join tekil.account a on a.account_id = e.account_id
      join tekil.currency c on c.code = e.currency
     where e.part = 'entry' order by e.line
$$;
revoke all on function console.charge_entries(uuid) from public;
grant execute on function console.charge_entries(uuid) to tekil_support, tekil_auditor, tekil_admin;
