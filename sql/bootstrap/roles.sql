-- The roles Tekil stands on; run once by the cluster's superuser, and again at will.
-- Group roles are what a person is; a login is made in one of them by tekil.make_operator().
do $$
declare
    wanted text;
begin
    foreach wanted in array array['tekil_support', 'tekil_operations', 'tekil_finance', 'tekil_auditor', 'tekil_admin']
    loop
        if not exists (select from pg_catalog.pg_roles where rolname = wanted) then
            execute pg_catalog.format('create role %I nologin', wanted);
        end if;
    end loop;
    if not exists (select from pg_catalog.pg_roles where rolname = 'tekil_owner') then
        create role tekil_owner login;
    end if;
    if not exists (select from pg_catalog.pg_roles where rolname = 'tekil_engine') then
        create role tekil_engine login;
    end if;
    -- Only functions owned by this role make logins; nobody signs in as it.
    if not exists (select from pg_catalog.pg_roles where rolname = 'tekil_login_maker') then
        create role tekil_login_maker nologin createrole;
    end if;
end
$$;
grant tekil_support to tekil_operations;
grant tekil_operations to tekil_finance;
grant tekil_login_maker to tekil_owner;
-- From PostgreSQL 16 on, making a login in a group needs the group's ADMIN OPTION.
grant tekil_support, tekil_operations, tekil_finance, tekil_auditor, tekil_admin to tekil_login_maker with admin option;
