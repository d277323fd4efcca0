-- Adds a provider; the name is taken once.
insert into tekil.provider (name, base_url, can_idempotent, can_inquiry, timeout_ms, key_window, inquiry_grace, not_found_final)
values ($1, $2, $3, $4, $5, make_interval(secs => $6::bigint / 1000.0), make_interval(secs => $7::bigint / 1000.0), $8)
returning provider_id
