-- The oldest open payments, what is taken up again, and the engines' last sign of life.
select o.oldest_processing::text, o.processing_us, o.oldest_unknown::text, o.unknown_us, o.recovering, o.alive, o.draining,
       o.last_beat_us, o.server_now_us
  from console.overview() o
