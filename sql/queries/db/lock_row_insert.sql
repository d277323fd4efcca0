-- The row that migrators lock.
INSERT INTO tekil.schema_version (version, name, checksum) VALUES (0, 'lock', '') ON CONFLICT (version) DO NOTHING
