-- Whether the server still answers, and its clock.
select (extract(epoch from clock_timestamp()) * 1000000)::bigint
