-- How many payments are unknown: the badge of the rail.
select coalesce(sum(n.payments), 0)::bigint from console.payment_count n where n.status = 'Unknown'
