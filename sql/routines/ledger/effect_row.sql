-- The shape that every effect function returns and tekil.post_effects takes.
do $$
begin
    if to_regtype('tekil.effect_row') is null then
        create type tekil.effect_row as (operation_id uuid, part text, line smallint, account_id bigint,
            amount_minor bigint, currency text, reservation_status text);
    end if;
end
$$;
