-- Takes operations that are due: whose holder's lease has ended, or that are Unknown and given back. Processing first.
-- Each comes with its stored request and what is known of its attempts, so that this engine can go on without the client.
-- What this engine still works on is left to it, also where its lease could not be renewed in time ($4).
-- The last column: whether a "not found" that is asked for from now on counts, by every attempt's grace.
-- Fair over providers: each has places of its own ($5, $6; $3 where it is not named), so that a silent one starves none.
with room as (
    select v.provider_id, coalesce(h.places, $3::bigint) as places
      from tekil.provider v
      left join unnest($5::bigint[], $6::bigint[]) as h (provider_id, places) on h.provider_id = v.provider_id),
processing as (
    select x.* from room cross join lateral (
        select r.merchant_id, r.idempotency_key, r.lease_holder, r.provider_id
          from tekil.idempotency_record r
         where r.provider_id = room.provider_id and r.status = 'Processing' and r.locked_until < clock_timestamp()
           and r.operation_id <> all ($4::uuid[])
         order by r.locked_until limit room.places for no key update skip locked) x),
unknown as (
    select x.* from room cross join lateral (
        select r.merchant_id, r.idempotency_key, r.lease_holder, r.provider_id
          from tekil.idempotency_record r
         where r.provider_id = room.provider_id and r.status = 'Unknown' and r.locked_until < clock_timestamp()
           and r.operation_id <> all ($4::uuid[])
         order by r.locked_until
         limit greatest(room.places - (select count(*) from processing p where p.provider_id = room.provider_id), 0)
           for no key update skip locked) x),
due as (select * from processing union all select * from unknown),
taken as (
    update tekil.idempotency_record r
       set lease_epoch = r.lease_epoch + 1, lease_holder = $1, locked_until = clock_timestamp() + $2::interval
      from due d
     where r.merchant_id = d.merchant_id and r.idempotency_key = d.idempotency_key
    returning r.*, d.lease_holder as holder_before),
told as (
    insert into tekil.key_event (merchant_id, idempotency_key, operation_id, kind, instance_id, facts)
    select t.merchant_id, t.idempotency_key, t.operation_id, 'takeover', $1, jsonb_build_object('from', t.holder_before)
      from taken t where t.holder_before is not null)
select t.operation_id, t.lease_epoch, t.status, t.merchant_id, t.idempotency_key, t.provider_id, t.invoice_id,
       t.invoice_is_number, t.amount_minor, t.currency, p.operation_id is not null, v.can_idempotent, v.can_inquiry,
       a.last_open, a.request_body, coalesce(a.sent, 0),
       coalesce(least(a.first_at + v.key_window, p.created_at + v.send_deadline) < clock_timestamp(), false),
       coalesce(a.last_before + make_interval(secs => v.timeout_ms / 1000.0) + v.inquiry_grace < clock_timestamp(), true)
  from taken t
  join tekil.provider v on v.provider_id = t.provider_id
  left join tekil.payment p on p.operation_id = t.operation_id
  left join lateral (
       select max(x.attempt) filter (where x.state = 'open') as last_open, min(x.request_body) as request_body,
              count(*) filter (where x.state <> 'not_sent') as sent, min(x.started_at) filter (where x.state <> 'not_sent') as first_at,
              max(x.send_before) as last_before
         from tekil.provider_attempt x where x.operation_id = t.operation_id) a on true
