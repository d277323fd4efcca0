-- Schema console holds no data: it is dropped before tables change under it, and built anew.
DROP SCHEMA IF EXISTS console CASCADE
