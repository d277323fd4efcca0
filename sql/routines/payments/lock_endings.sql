-- needs: payments/finish_row
-- Finish's fence: locks the records of all, in key order. It comes back for who holds the lease; and with the provider's
-- own word that it captured or declined, whoever holds it: that is as good as an inquiry's answer, and no other engine can
-- learn better. The rest is lost.
create or replace function tekil.lock_endings(operation_ids uuid[], lease_epochs bigint[], attempts int[], proofs text[],
    references_ text[], codes text[], http_statuses int[], asked boolean[]) returns tekil.finish_row[]
    language plpgsql
    set search_path = pg_catalog
as $$
declare
    held tekil.finish_row[];
begin
    select array_agg(row (l.arrival, l.operation_id, l.merchant_id, l.idempotency_key, l.attempt, l.proof, l.reference,
               l.code, l.http_status, l.asked, l.payment_type, l.invoice_id, null, null, null, null, null, null, null,
               null, null)::tekil.finish_row)
      into held
      from (select i.*, r.merchant_id, r.idempotency_key, r.payment_type, r.invoice_id, r.completed_at,
                   r.lease_epoch as current_epoch
              from unnest(operation_ids, lease_epochs, attempts, proofs, references_, codes, http_statuses, asked)
                   with ordinality as i (operation_id, lease_epoch, attempt, proof, reference, code, http_status, asked,
                                         arrival)
              join tekil.idempotency_record r on r.operation_id = i.operation_id
             order by r.merchant_id, r.idempotency_key for no key update of r) l
     where l.completed_at is null and (l.current_epoch = l.lease_epoch or l.proof in ('captured', 'declined'));
    return coalesce(held, '{}');
end
$$;
revoke all on function tekil.lock_endings(uuid[], bigint[], int[], text[], text[], text[], int[], boolean[]) from public;
grant execute on function tekil.lock_endings(uuid[], bigint[], int[], text[], text[], text[], int[], boolean[]) to tekil_engine;
