-- Who is signed in, as what, and what this database is.
select s.login, s.role, s.disabled, s.database_name, s.server_version, s.schema_version, s.server_now_us from console.session() s
