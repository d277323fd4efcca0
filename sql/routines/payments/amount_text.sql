-- Whole minor units as text for machines: the currency's decimals, a dot and no grouping. One expression, so that a
-- statement takes it in instead of calling it a row; 1e-2 is exact, for it is numeric.
create or replace function tekil.amount_text(amount_minor bigint, exponent int) returns text
    language sql immutable strict parallel safe
    return (amount_minor::numeric * ('1e-' || exponent::text)::numeric)::text;
revoke all on function tekil.amount_text(bigint, int) from public;
grant execute on function tekil.amount_text(bigint, int) to tekil_engine;
