-- An instant for machines: RFC 3339 in UTC with microseconds.
create or replace function tekil.utc_text(at timestamptz) returns text
    language sql stable strict parallel safe
    return to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');
revoke all on function tekil.utc_text(timestamptz) from public;
grant execute on function tekil.utc_text(timestamptz) to tekil_engine;
