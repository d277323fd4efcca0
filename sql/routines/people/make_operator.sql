-- Makes a person's login in one group role, with a SCRAM verifier (never a password), and its operator row.
-- It belongs to tekil_login_maker, the only role that may make logins; only the owner calls it.
create or replace function tekil.make_operator(login text, role text, verifier text) returns void
    language plpgsql security definer
    set search_path = pg_catalog
as $$
begin
    if login !~ '^[a-z][a-z0-9_]{0,62}$' or login ~ '^(pg_|tekil_)' or login in ('postgres', 'public') then
        raise exception 'a login is 1 to 63 of a-z, 0-9 and _, begins with a letter, and is not a name of the system'
            using errcode = '22023';
    end if;
    if role <> all (array['support', 'operations', 'finance', 'auditor', 'admin']) then
        raise exception 'no such role: %', role using errcode = '22023';
    end if;
    if verifier !~ '^SCRAM-SHA-256\$[0-9]+:' then
        raise exception 'a password reaches the server as a SCRAM verifier only' using errcode = '22023';
    end if;
    execute format('create role %I login inherit in role %I password %L', login, 'tekil_' || role, verifier);
    insert into tekil.operator (login_oid, login, role)
    select r.oid, r.rolname, make_operator.role from pg_roles r where r.rolname = make_operator.login;
end
$$;
alter function tekil.make_operator(text, text, text) owner to tekil_login_maker;
revoke all on function tekil.make_operator(text, text, text) from public;
grant execute on function tekil.make_operator(text, text, text) to tekil_owner;
