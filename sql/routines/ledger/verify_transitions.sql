-- Every payment came to its state by allowed transitions, without a gap. A row names what does not hold.
create or replace function tekil.verify_transitions() returns table (subject text, problem text)
    language sql stable
    set search_path = pg_catalog
as $$
    select 'payment ' || p.operation_id, 'is ' || p.status || ', its history ends ' || coalesce(h.last_status, 'nowhere')
      from tekil.payment p
      left join lateral (select c.to_status as last_status from tekil.payment_state_change c
                          where c.operation_id = p.operation_id order by c.version desc limit 1) h on true
     where coalesce(h.last_status, 'Processing') <> p.status
    union all
    select 'payment ' || c.operation_id, 'went on from ' || c.from_status || ' but was ' || c.was
      from (select x.operation_id, x.from_status,
                   lag(x.to_status, 1, 'Processing') over (partition by x.operation_id order by x.version) as was
              from tekil.payment_state_change x) c
     where c.from_status <> c.was
$$;
revoke all on function tekil.verify_transitions() from public;
grant execute on function tekil.verify_transitions() to tekil_engine;
