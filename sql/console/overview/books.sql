-- The last check of the books, with both sides by currency.
select b.ended_us, b.took_us, b.accounts, b.entries, b.transactions, b.problems, b.pass_ended_us, t.currency, t.exponent,
       t.credit, t.debit
  from (select c.* from console.books_check c order by c.ended_at desc limit 1) b
  left join console.books_total t on t.check_id = b.check_id
 order by t.currency
