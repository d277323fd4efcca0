-- The JSON that a merchant gets for a payment: one text for the first answer, its replay and later queries.
-- needs: payments/utc_text
create or replace function tekil.payment_body(operation_id uuid, status text, invoice_id text, invoice_is_number boolean,
    amount_minor bigint, currency text, provider_reference text, decline_code text, failure_code text,
    created_at timestamptz, completed_at timestamptz) returns text
    language sql stable parallel safe
    set search_path = pg_catalog
as $$
    select '{"operationId":"' || operation_id || '","status":"' || status
        || '","invoiceId":' || case when invoice_is_number then invoice_id else to_json(invoice_id)::text end
        || ',"amount":"' || tekil.amount_text(amount_minor, (select c.exponent from tekil.currency c where c.code = currency))
        || '","currency":"' || currency
        || '","providerReference":' || coalesce(to_json(provider_reference)::text, 'null')
        || case when decline_code is not null then ',"declineCode":' || to_json(decline_code)::text else '' end
        || case when failure_code is not null then ',"failureCode":' || to_json(failure_code)::text else '' end
        || case when status = 'Failed' then ',"retry":"new-key"' else '' end
        || ',"createdAt":"' || tekil.utc_text(created_at)
        || '","completedAt":' || coalesce('"' || tekil.utc_text(completed_at) || '"', 'null') || '}'
$$;
revoke all on function tekil.payment_body(uuid, text, text, boolean, bigint, text, text, text, text, timestamptz, timestamptz) from public;
grant execute on function tekil.payment_body(uuid, text, text, boolean, bigint, text, text, text, text, timestamptz, timestamptz) to tekil_engine;
