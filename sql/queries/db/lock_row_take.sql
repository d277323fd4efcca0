-- One migrator at a time, until its transaction ends.
SELECT version FROM tekil.schema_version WHERE version = 0 FOR UPDATE
