-- The last minute, second by second.
select f.second_us, f.seen, f.came, f.completed, f.failed, f.unknown, f.proved_completed, f.proved_failed
  from console.payment_flow f order by f.second_us
