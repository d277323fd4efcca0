-- Drafts payments $1 to $2 of $3, spread over the last 30 days in the order of their time-sorted ids ($8: random keys).
-- Of a hundred two were Failed and 98 are Completed; $9 'mixed': one of these is Unknown; 'open': all are under way.
insert into bench_draft
select k.id, case when $8::boolean then gen_random_uuid()::text else k.id::text end, $4::bigint + k.i % $7::bigint,
       $5::bigint + k.i, $6::bigint + k.i % $7::bigint, ($10::bigint + k.n)::text, 100 + (k.n * 7919) % 99900,
       case when $9::text = 'open' then 'Processing' when $9 = 'mixed' and k.n % 100 = 17 then 'Unknown'
            when k.n % 50 = 3 then 'Failed' else 'Completed' end,
       k.at, k.at + interval '180 milliseconds'
  from (select s.n, (s.n * 48271) % $11::bigint as i, s.at,
               (lpad(to_hex((extract(epoch from s.at) * 1000)::bigint), 12, '0')
                || '7' || substr(replace(gen_random_uuid()::text, '-', ''), 14))::uuid as id
          from (select n, case when $9 = 'open' then clock_timestamp() - interval '2 minutes'
                               else date_trunc('day', clock_timestamp()) - interval '30 days'
                                    + interval '30 days' * n / $3::bigint end as at
                  from generate_series($1::bigint, $2::bigint) n) s) k
