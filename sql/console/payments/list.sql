-- A page of payments by (created_at, operation_id), with the filters that the page offers.
select p.operation_id::text, p.status, p.amount_minor, p.currency, p.exponent, p.created_us, p.invoice_id, p.idempotency_key,
       p.merchant, p.customer_id, p.provider, p.account_id, p.payment_type
  from console.payment p
 where true
{{where}}
{{after}}
{{order}}
 limit :limit
--@ where open
   and p.status = :state
   and p.operation_id in (select o.operation_id from console.open_operation o where o.status = :state)
--@ where state
   and p.status = :state
--@ where operation
   and p.operation_id = :operation_id::uuid
--@ where ids
   and p.operation_id = any (:ids::uuid[])
--@ where word
   and (p.invoice_id like :word_prefix or p.idempotency_key = :word)
--@ where invoice
   and p.invoice_id = :invoice
--@ where invoice_prefix
   and p.invoice_id like :invoice_prefix
--@ where key
   and p.idempotency_key = :key
--@ where key_prefix
   and p.idempotency_key like :key_prefix
--@ where merchant
   and p.merchant = :merchant
--@ where provider
   and p.provider = :provider
--@ where account
   and p.account_id = :account::bigint
--@ where account_range
   and p.account_id between :account_from::bigint and :account_to::bigint
--@ where currency
   and p.currency = :currency
--@ where type
   and p.payment_type = :type
--@ where amount_over
   and p.amount_minor > :amount_over::numeric * 10::numeric ^ p.exponent
--@ where amount_from
   and p.amount_minor >= :amount_from::numeric * 10::numeric ^ p.exponent
--@ where amount_under
   and p.amount_minor < :amount_under::numeric * 10::numeric ^ p.exponent
--@ where amount_to
   and p.amount_minor <= :amount_to::numeric * 10::numeric ^ p.exponent
--@ where amount
   and p.amount_minor = :amount::numeric * 10::numeric ^ p.exponent
--@ where created_from
   and p.created_at >= timestamptz 'epoch' + interval '1 microsecond' * :created_from::bigint
--@ where created_before
   and p.created_at < timestamptz 'epoch' + interval '1 microsecond' * :created_before::bigint
--@ after older
   and (p.created_at, p.operation_id) < (timestamptz 'epoch' + interval '1 microsecond' * :cursor_us::bigint, :cursor_id::uuid)
--@ after older_or_same
   and (p.created_at, p.operation_id) <= (timestamptz 'epoch' + interval '1 microsecond' * :cursor_us::bigint, :cursor_id::uuid)
--@ after newer
   and (p.created_at, p.operation_id) > (timestamptz 'epoch' + interval '1 microsecond' * :cursor_us::bigint, :cursor_id::uuid)
--@ after newer_or_same
   and (p.created_at, p.operation_id) >= (timestamptz 'epoch' + interval '1 microsecond' * :cursor_us::bigint, :cursor_id::uuid)
--@ order newest
 order by p.created_at desc, p.operation_id desc
--@ order oldest
 order by p.created_at, p.operation_id
