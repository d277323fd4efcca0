-- Wakes those who show payments; it carries nothing and decides nothing.
select pg_catalog.pg_notify('tekil_changed', '')
