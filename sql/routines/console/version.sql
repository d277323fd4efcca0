-- The contract of schema console: a console that needs another number says so and acts on nothing.
grant usage on schema console to tekil_support, tekil_auditor, tekil_admin;
create function console.version() returns int
    language sql immutable parallel safe
    set search_path = pg_catalog
as 'select 2';
revoke all on function console.version() from public;
grant execute on function console.version() to tekil_support, tekil_auditor, tekil_admin;
