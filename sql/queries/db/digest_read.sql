-- What the views and functions were built from.
SELECT digest FROM tekil.routine_digest
