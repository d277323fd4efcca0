-- Makes the login of an operator whose row was restored: a backup holds the person, not the login or its password.
-- It belongs to tekil_login_maker; only the owner calls it.
create or replace function tekil.remake_login(login text, verifier text) returns void
    language plpgsql security definer
    set search_path = pg_catalog
as $$
declare
    known tekil.operator.role%type;
begin
    select o.role into known from tekil.operator o where o.login = remake_login.login and not o.disabled;
    if known is null then
        raise exception 'no operator has the login %', login using errcode = '22023';
    end if;
    if verifier !~ '^SCRAM-SHA-256\$[0-9]+:' then
        raise exception 'a password reaches the server as a SCRAM verifier only' using errcode = '22023';
    end if;
    execute format('create role %I login inherit in role %I password %L', login, 'tekil_' || known, verifier);
    update tekil.operator o set login_oid = r.oid
      from pg_roles r where r.rolname = remake_login.login and o.login = remake_login.login;
end
$$;
grant select (login, role, disabled, login_oid), update (login_oid) on tekil.operator to tekil_login_maker;
alter function tekil.remake_login(text, text) owner to tekil_login_maker;
revoke all on function tekil.remake_login(text, text) from public;
grant execute on function tekil.remake_login(text, text) to tekil_owner;
