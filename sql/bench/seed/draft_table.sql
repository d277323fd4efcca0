-- The payments that a seeding chunk will write, before they are rows of their tables.
create temporary table if not exists bench_draft (
    operation_id uuid, idempotency_key text, merchant_id bigint, account_id bigint, collection_id bigint, invoice_id text,
    amount_minor bigint, status text, created_at timestamptz, ended_at timestamptz) on commit delete rows
