-- Says, for each claim that did not come back, what stands in its way: the key's record, or why it may not be executed.
-- It is a statement of its own, since a claim's snapshot does not see the record it waited for.
select i.ord, r.operation_id, r.request_hash, r.status, r.response_status, r.response_body, r.expires_at < clock_timestamp(),
       coalesce(r.hash_version, 0), (extract(epoch from r.locked_until - clock_timestamp()) * 1000)::bigint,
       m.merchant_id is not null, a.account_id is not null, v.provider_id is not null, a.currency,
       m.amount_limit is not null and i.amount_minor > m.amount_limit * 10::numeric ^ c.exponent, coalesce(r.provider_id, v.provider_id),
       (extract(epoch from clock_timestamp() - r.created_at) * 1000)::bigint, r.lease_holder is not null, r.shrunk_at is not null
  from unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[], $5::bigint[], $6::text[]) with ordinality
       as i (merchant_id, idempotency_key, account_id, provider_name, amount_minor, currency, ord)
  left join tekil.idempotency_record r on r.merchant_id = i.merchant_id and r.idempotency_key = i.idempotency_key
  left join tekil.merchant m on m.merchant_id = i.merchant_id and not m.disabled
  left join tekil.merchant_account g on g.merchant_id = i.merchant_id
        and g.account_id = coalesce(i.account_id, m.default_account_id)
  left join tekil.account a on a.account_id = g.account_id and a.kind <> 'system' and a.status = 'open'
  left join tekil.currency c on c.code = i.currency
  left join tekil.provider v on case when i.provider_name is null then v.provider_id = m.default_provider_id
                                     else v.name = i.provider_name end
 order by i.ord
