-- The server, as a measurement has to name it.
select current_setting('server_version'), current_setting('fsync'), current_setting('synchronous_commit'),
       current_setting('full_page_writes'), current_setting('shared_buffers'), current_setting('max_wal_size'),
       current_setting('checkpoint_timeout'), current_setting('wal_compression'), current_setting('data_checksums'),
       pg_backend_pid()
