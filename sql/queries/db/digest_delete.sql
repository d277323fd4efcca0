-- The views and functions are to be rebuilt.
DELETE FROM tekil.routine_digest
