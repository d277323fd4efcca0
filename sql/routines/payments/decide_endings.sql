-- needs: payments/finish_row payments/payment_json
-- Decides what each payment becomes by its proof; null where it stays as it is. Locks the payments, in key order. The
-- attempts have been ended before: what was sent at all, and until when, is read from them.
create or replace function tekil.decide_endings(held tekil.finish_row[], moment timestamptz) returns tekil.finish_row[]
    language plpgsql
    set search_path = pg_catalog
as $$
declare
    decided tekil.finish_row[];
begin
    select array_agg(row (l.arrival, l.operation_id, l.merchant_id, l.idempotency_key, l.attempt, l.proof, l.reference,
               l.code, l.http_status, l.asked, l.payment_type, l.invoice_id, l.was, l.becomes, l.version + 1,
               l.message_sequence + 1, l.decline_code, l.failure_code, l.completed_at, l.can_ask,
               case when l.becomes is distinct from l.was and l.becomes is not null then
                   tekil.payment_json(l.operation_id, l.becomes, l.invoice_id, l.invoice_is_number, l.amount_minor,
                       l.currency, l.exponent, coalesce(l.reference, l.known_reference), l.decline_code, l.failure_code,
                       l.created_at, l.completed_at) end)::tekil.finish_row)
      into decided
      from (select h.*, p.status as was, n.becomes, p.version, p.message_sequence, p.invoice_is_number, p.amount_minor,
                   p.currency, u.exponent, p.provider_reference as known_reference, p.created_at,
                   case when h.proof = 'declined' then coalesce(h.code, 'declined') end as decline_code,
                   case when n.becomes = 'Failed' then
                       case h.proof when 'expired' then 'not_sent' when 'refused' then 'provider_refused'
                                    when 'not_found' then 'not_charged' end end as failure_code,
                   case when n.becomes in ('Completed', 'Failed') then moment end as completed_at,
                   v.can_inquiry or v.can_idempotent as can_ask
              from (select x.arrival, x.operation_id, x.merchant_id, x.idempotency_key, x.attempt, x.proof, x.reference,
                           x.code, x.http_status, x.asked, x.payment_type, x.invoice_id from unnest(held) x) h
              join tekil.payment p on p.operation_id = h.operation_id
              join tekil.provider v on v.provider_id = p.provider_id
              join tekil.currency u on u.code = p.currency
              cross join lateral (select case
                  when h.proof = 'captured' then 'Completed'
                  when h.proof in ('declined', 'refused') then 'Failed'
                  -- No byte was ever sent, and none will be.
                  when h.proof = 'expired' and p.created_at + v.send_deadline <= moment
                       and not exists (select from tekil.provider_attempt a
                                        where a.operation_id = h.operation_id and a.state <> 'not_sent') then 'Failed'
                  when h.proof = 'not_found' and v.not_found_final
                       and (select max(a.send_before)
                              from tekil.provider_attempt a where a.operation_id = h.operation_id)
                           + make_interval(secs => v.timeout_ms / 1000.0) + v.inquiry_grace < moment then 'Failed'
                  when h.proof in ('unknown', 'not_found') then 'Unknown' end as becomes) n
             order by p.operation_id for no key update of p) l;
    return coalesce(decided, '{}');
end
$$;
revoke all on function tekil.decide_endings(tekil.finish_row[], timestamptz) from public;
grant execute on function tekil.decide_endings(tekil.finish_row[], timestamptz) to tekil_engine;
