-- What the tables and their indexes take.
select coalesce(sum(pg_table_size(c.oid)), 0)::bigint, coalesce(sum(pg_indexes_size(c.oid)), 0)::bigint
  from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'tekil' and c.relkind = 'r'
