-- Whether a migrator has been here.
SELECT to_regclass('tekil.schema_version') IS NOT NULL AND to_regclass('tekil.routine_digest') IS NOT NULL
