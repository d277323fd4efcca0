-- Which migrations have been applied. Version 0 is no migration: it is the row that migrators lock.
CREATE TABLE IF NOT EXISTS tekil.schema_version (
    version    integer PRIMARY KEY CHECK (version >= 0),
    name       text NOT NULL,
    checksum   text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
)
