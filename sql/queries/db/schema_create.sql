-- The schema that holds everything. Another migrator may make it at the same moment.
CREATE SCHEMA IF NOT EXISTS tekil
