-- One applied migration.
INSERT INTO tekil.schema_version (version, name, checksum) VALUES ($1, $2, $3)
