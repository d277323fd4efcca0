-- The contract that this database offers to consoles.
select console.version()
