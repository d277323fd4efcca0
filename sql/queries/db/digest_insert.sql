-- The views and functions are built.
INSERT INTO tekil.routine_digest (digest) VALUES ($1)
