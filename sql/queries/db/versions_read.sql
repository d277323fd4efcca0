-- What has been applied, in order.
SELECT version, name, checksum FROM tekil.schema_version WHERE version > 0 ORDER BY version
