-- The shape of what tekil.measure_accounts finds, kept between the statements of one check.
do $$
begin
    if to_regtype('tekil.account_measure') is null then
        create type tekil.account_measure as (account_id bigint, since timestamptz, balance numeric, posted numeric,
            fresh_entries bigint, settled numeric, settled_entries bigint, reserved numeric, held numeric);
    end if;
end
$$;
