-- Has the session's statements, and those within its functions, planned anew for the tables as they are now.
discard plans
