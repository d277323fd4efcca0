-- needs: console/version
-- Who is signed in, as what, and what this database is: the facts of the window's frame.
create function console.session() returns table (login text, role text, disabled boolean, database_name text,
        server_version text, schema_version int, server_now_us bigint)
    language sql stable security definer
    set search_path = pg_catalog
as $$
    select session_user::text, o.role, coalesce(o.disabled, false), current_database()::text,
           split_part(current_setting('server_version'), ' ', 1),
           (select max(v.version) from tekil.schema_version v),
           (extract(epoch from clock_timestamp()) * 1000000)::bigint
      from (select 1) one
      left join tekil.operator o on o.login_oid = (select r.oid from pg_roles r where r.rolname = session_user)
$$;
revoke all on function console.session() from public;
grant execute on function console.session() to tekil_support, tekil_auditor, tekil_admin;
