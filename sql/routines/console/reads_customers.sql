-- needs: console/version
-- Whether the caller sees customers and provider texts as they are; support sees them masked.
create function console.reads_customers() returns boolean
    language sql stable parallel safe
    set search_path = pg_catalog
as $$
    select pg_has_role(session_user, 'tekil_operations', 'member') or pg_has_role(session_user, 'tekil_auditor', 'member')
$$;
revoke all on function console.reads_customers() from public;
grant execute on function console.reads_customers() to tekil_support, tekil_auditor, tekil_admin;
