-- The words that code, database and console share: currencies, states and their transitions, kinds of events.

create table tekil.currency (
    code     text primary key check (code ~ '^[A-Z]{3}$'),
    exponent smallint not null check (exponent between 0 and 4)
);
comment on table tekil.currency is 'ISO 4217 list one; core/base/currency.cpp holds the same rows, and a test holds the two equal.';

insert into tekil.currency (code, exponent)
select code, 2
  from unnest(string_to_array(
       'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP CRC '
       'CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR '
       'JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD '
       'NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN '
       'SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG', ' ')) as code
union all
select code, 0 from unnest(string_to_array(
       'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF', ' ')) as code
union all
select code, 3 from unnest(string_to_array('BHD IQD JOD KWD LYD OMR TND', ' ')) as code
union all
select code, 4 from unnest(string_to_array('CLF UYW', ' ')) as code;

create table tekil.payment_status (
    status text primary key,
    is_end boolean not null
);
insert into tekil.payment_status values ('Processing', false), ('Completed', true), ('Failed', true), ('Unknown', false);

create table tekil.payment_transition (
    from_status text not null references tekil.payment_status,
    to_status   text not null references tekil.payment_status,
    primary key (from_status, to_status)
);
insert into tekil.payment_transition values
    ('Processing', 'Completed'), ('Processing', 'Failed'), ('Processing', 'Unknown'),
    ('Unknown', 'Completed'), ('Unknown', 'Failed');

create table tekil.key_event_kind (
    kind text primary key,
    meaning text not null
);
insert into tekil.key_event_kind values
    ('claimed', 'the key was new: its request is stored'),
    ('refused', 'the request was refused and burned no key; the facts say why'),
    ('accepted', 'the money is reserved and the payment exists'),
    ('declined', 'refused before anything was sent; the facts say why'),
    ('attempt', 'a request to the provider was committed, then sent'),
    ('not_sent', 'the attempt ended before its first byte'),
    ('answer', 'the provider answered'),
    ('no_answer', 'the request was sent and no readable answer came'),
    ('takeover', 'another engine went on with it'),
    ('lease_lost', 'the holder found that another one had gone on'),
    ('inquiry', 'the provider was asked for the outcome'),
    ('duplicate', 'the same request came again while it was not ended'),
    ('mismatch', 'another request came with the same key'),
    ('replay', 'the stored answer was given again');

-- Money is whole minor units everywhere; its text for machines has the currency's decimals, a dot and no grouping.
create function tekil.amount_text(amount_minor bigint, exponent int) returns text
    language sql immutable strict parallel safe
    set search_path = pg_catalog
as $$
    select case when amount_minor < 0 then '-' else '' end
        || case when exponent = 0 then abs(amount_minor::numeric)::text
                else left(digits, -exponent) || '.' || right(digits, exponent) end
      from (select lpad(abs(amount_minor::numeric)::text,
                        greatest(exponent + 1, length(abs(amount_minor::numeric)::text)), '0') as digits) d
$$;

do $$
begin
    assert (select count(*) from tekil.currency) = 157, 'currencies';
    assert tekil.amount_text(-5, 2) = '-0.05' and tekil.amount_text(1000, 0) = '1000'
       and tekil.amount_text(100000, 2) = '1000.00' and tekil.amount_text(42500, 3) = '42.500', 'amount_text';
    assert not exists (select from tekil.payment_transition t join tekil.payment_status s on s.status = t.from_status
                        where s.is_end or t.to_status = 'Processing'), 'nothing leads out of an end';
end
$$;
