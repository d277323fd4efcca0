-- Seeds the balances, by one netted update.
update tekil.account a set available_minor = a.available_minor + n.available, reserved_minor = a.reserved_minor + n.reserved
  from (select x.account_id, sum(x.available)::bigint as available, sum(x.reserved)::bigint as reserved
          from (select d.account_id, case d.status when 'Failed' then 0 else -d.amount_minor end as available,
                       case when d.status in ('Processing', 'Unknown') then d.amount_minor else 0 end as reserved
                  from bench_draft d
                union all
                select d.collection_id, d.amount_minor, 0 from bench_draft d where d.status = 'Completed') x
         group by x.account_id) n
 where a.account_id = n.account_id
