-- Which text the views and functions were built from: one row, or none while they are to be rebuilt.
CREATE TABLE IF NOT EXISTS tekil.routine_digest (
    one_row  boolean PRIMARY KEY DEFAULT true CHECK (one_row),
    digest   text NOT NULL,
    built_at timestamptz NOT NULL DEFAULT clock_timestamp()
)
