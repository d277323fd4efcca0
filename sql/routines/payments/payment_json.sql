-- needs: payments/utc_text payments/amount_text
-- tekil.payment_body for those who have the currency's exponent at hand. One expression without a sub-select or a
-- setting of its own, so that a statement over a batch takes it in: called a row, it would cost more than the row.
create or replace function tekil.payment_json(operation_id uuid, status text, invoice_id text, invoice_is_number boolean,
    amount_minor bigint, currency text, exponent int, provider_reference text, decline_code text, failure_code text,
    created_at timestamptz, completed_at timestamptz) returns text
    language sql stable parallel safe
    return '{"operationId":"' || operation_id::text || '","status":"' || status
        || '","invoiceId":' || case when invoice_is_number then invoice_id else to_json(invoice_id)::text end
        || ',"amount":"' || tekil.amount_text(amount_minor, exponent)
        || '","currency":"' || currency
        || '","providerReference":' || coalesce(to_json(provider_reference)::text, 'null')
        || case when decline_code is not null then ',"declineCode":' || to_json(decline_code)::text else '' end
        || case when failure_code is not null then ',"failureCode":' || to_json(failure_code)::text else '' end
        || case when status = 'Failed' then ',"retry":"new-key"' else '' end
        || ',"createdAt":"' || tekil.utc_text(created_at)
        || '","completedAt":' || coalesce('"' || tekil.utc_text(completed_at) || '"', 'null') || '}';
revoke all on function tekil.payment_json(uuid, text, text, boolean, bigint, text, int, text, text, text, timestamptz,
    timestamptz) from public;
grant execute on function tekil.payment_json(uuid, text, text, boolean, bigint, text, int, text, text, text, timestamptz,
    timestamptz) to tekil_engine;
