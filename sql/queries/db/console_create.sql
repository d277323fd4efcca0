-- Schema console, empty.
CREATE SCHEMA console
