-- A migration takes as long as it takes, and waits for another migrator as long as that one works.
SELECT set_config('lock_timeout', '0', true), set_config('statement_timeout', '0', true)
