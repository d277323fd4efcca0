-- Keys past their retention shrink in place to tombstones (the hash stays), and tombstones past theirs go: at most $1 at
-- a time. Only what has ended; nothing that a case is open about. Rows that somebody works on are left for the next time.
with due as (
    select r.merchant_id, r.idempotency_key, r.shrunk_at is not null as is_tombstone
      from tekil.idempotency_record r
     where r.status in ('Completed', 'Failed') and r.expires_at < clock_timestamp()
       and not exists (select from tekil.reconciliation_case c where c.operation_id = r.operation_id and c.state = 'open')
     order by r.expires_at limit $1 for update of r skip locked),
shrunk as (
    update tekil.idempotency_record r
       set shrunk_at = clock_timestamp(), expires_at = clock_timestamp() + m.tombstone_retention, response_status = null,
           response_body = null, description = null, customer_id = null
      from due d join tekil.merchant m on m.merchant_id = d.merchant_id
     where not d.is_tombstone and r.merchant_id = d.merchant_id and r.idempotency_key = d.idempotency_key
    returning 1),
gone as (
    delete from tekil.idempotency_record r using due d
     where d.is_tombstone and r.merchant_id = d.merchant_id and r.idempotency_key = d.idempotency_key
    returning 1)
select (select count(*) from shrunk), (select count(*) from gone)
