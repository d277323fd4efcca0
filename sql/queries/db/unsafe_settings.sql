-- Settings with which a server can lose what it has confirmed.
SELECT name FROM pg_settings WHERE name IN ('fsync', 'full_page_writes') AND setting <> 'on' ORDER BY name
