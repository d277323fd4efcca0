-- One operation has one financial effect: a Completed payment exactly its charge, any other none. A row names what does not hold.
create or replace function tekil.verify_single_effect() returns table (subject text, problem text)
    language sql stable
    set search_path = pg_catalog
as $$
    select 'payment ' || p.operation_id, p.status || ' with ' || count(t.transaction_id) || ' charges'
      from tekil.payment p
      left join tekil.ledger_transaction t on t.operation_id = p.operation_id and t.kind = 'charge'
     group by p.operation_id
    having count(t.transaction_id) <> case p.status when 'Completed' then 1 else 0 end
    union all
    select 'payment ' || p.operation_id, 'its entries are not those of its charge'
      from tekil.payment p
     where p.status = 'Completed'
       and (select count(*) filter (where e.account_id = p.account_id and e.amount_minor = -p.amount_minor
                                       or e.account_id = p.collection_account_id and e.amount_minor = p.amount_minor)
                   * 10 + count(*) from tekil.ledger_entry e where e.transaction_id = p.operation_id) <> 22
    union all
    select 'record ' || r.operation_id, 'record is ' || r.status || ', its payment ' || coalesce(p.status, 'missing')
      from tekil.idempotency_record r left join tekil.payment p on p.operation_id = r.operation_id
     where p.status is distinct from r.status and not (p.status is null and r.status = 'Processing')
    union all
    select 'invoice ' || p.invoice_id, count(*) || ' payments that are not Failed'
      from tekil.payment p where p.status <> 'Failed'
     group by p.merchant_id, p.invoice_id, p.payment_type having count(*) > 1
$$;
revoke all on function tekil.verify_single_effect() from public;
grant execute on function tekil.verify_single_effect() to tekil_engine;
