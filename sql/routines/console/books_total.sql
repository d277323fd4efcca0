-- needs: console/books_check
-- What a check found on each side of the books, by currency; text where it may be larger than a bigint.
create view console.books_total as
select b.check_id, t.currency, c.exponent, t.credit, t.debit
  from console.books_check b
  cross join lateral jsonb_to_recordset(b.totals) as t (currency text, credit text, debit text)
  join tekil.currency c on c.code = t.currency;
grant select on console.books_total to tekil_support, tekil_auditor, tekil_admin;
