-- needs: payments/accept_row
-- Decides which payments their accounts can bear: locks the payers in order, then runs through each one's payments in
-- arrival order over the locked balance and skips only those that do not fit. Nothing else declines.
create or replace function tekil.fold_balances(claims tekil.accept_row[]) returns tekil.accept_row[]
    language plpgsql
    set search_path = pg_catalog
as $$
declare
    payers bigint[] := array(select distinct c.account_id from unnest(claims) c);
    candidate record;
    claim tekil.accept_row;
    decided tekil.accept_row[] := '{}';
    current_account bigint;
    available bigint;
begin
    perform from tekil.account a where a.account_id = any (payers) order by a.account_id for no key update;

    for candidate in -- a new statement: it sees the balances as they were locked
        select c as claim, a.account_id, a.available_minor, a.may_overdraw, a.status
          from unnest(claims) c
          cross join lateral (select * from tekil.account x where x.account_id = c.account_id offset 0) a
         order by c.account_id, c.arrival
    loop
        if current_account is distinct from candidate.account_id then
            current_account := candidate.account_id;
            available := candidate.available_minor;
        end if;
        claim := candidate.claim;
        if candidate.status <> 'open' then
            claim.decline_code := 'account_closed';
        elsif claim.amount_minor <= available or candidate.may_overdraw then
            available := available - claim.amount_minor;
        else
            claim.decline_code := 'insufficient_funds';
        end if;
        decided := decided || claim;
    end loop;
    return decided;
end
$$;
revoke all on function tekil.fold_balances(tekil.accept_row[]) from public;
grant execute on function tekil.fold_balances(tekil.accept_row[]) to tekil_engine;
