-- Seeding writes millions of rows that it knows to be right: foreign keys are not looked up one by one; verify judges.
select set_config('session_replication_role', 'replica', false)
