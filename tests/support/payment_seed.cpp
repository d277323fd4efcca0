// What an engine would do, step by step.
#include "tests/support/payment_seed.h"

#include <cstdio>
#include <fstream>
#include <iterator>

namespace tekil::test {

namespace {

const std::string kInstance = "'00000000-0000-7000-8000-0000000000ff'";

std::string claimStatement()
{
    std::ifstream file(TEKIL_SOURCE_DIR "/sql/queries/payments/claim.sql");
    return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace

PaymentSeed::PaymentSeed(const TestDatabase& database) : m_database(database)
{
    m_database.sql("set search_path = pg_catalog;"
                   "select tekil.open_account('TRY', 'C-20418', 'customer');"
                   "select tekil.fund_account('00000000-0000-7000-8000-000000000001', 101, 900000000, 'test');"
                   "insert into tekil.provider (name, base_url, can_idempotent, can_inquiry) values ('bank', "
                   "'http://bank', true, true);"
                   "insert into tekil.merchant (name, api_key_hash, default_account_id, default_provider_id)"
                   " values ('shop', sha256('shop'), 101, 1), ('market', sha256('market'), 101, 1);"
                   "insert into tekil.merchant_account values (1, 101), (2, 101);"
                   "insert into tekil.engine_instance (instance_id, program, version, host, pid, roles)"
                   " values ("
                   + kInstance + ", 'tekild', '0', 'host', 1, '{}')");
    for (const auto& [login, role] : {std::pair("operations1", "operations"), std::pair("support1", "support")})
        m_database.sql(std::string("do $$ begin if not exists (select from pg_roles where rolname = '") + login
                       + "') then create role " + login + " login inherit in role tekil_" + role
                       + " password 'right'; end if;"
                       + " insert into tekil.operator (login_oid, login, role) select oid, rolname, '" + role
                       + "' from pg_roles where rolname = '" + login + "'; end $$");
}

std::string PaymentSeed::payment(const std::string& state, const std::string& invoice, std::int64_t amountMinor,
                                 const std::string& key)
{
    char id[37];
    std::snprintf(id, sizeof id, "019cbdae-17be-7d51-84cb-d303%08x", 0x04861d00U + static_cast<unsigned>(++m_count));
    const std::string one = std::string("'{") + id + "}'";
    const std::string merchant = m_count % 3 == 0 ? "2" : "1";
    const std::string theKey = key.empty() ? "shop-" + invoice : key;
    m_database.sql("prepare claim as " + claimStatement() + ";execute claim('{" + merchant + "}','{" + theKey + "}',"
                   + one + ",array[sha256('" + id
                   + "')],array[null]::bigint[],array[null]::text[],'{C-20418}','{sale}','{" + invoice + "}','{f}','{"
                   + std::to_string(amountMinor) + "}','{TRY}',array[null]::text[],1::smallint," + kInstance
                   + ",'30 seconds','{}')");
    m_database.sql("select * from tekil.accept_payments(" + one + ",'{1}'," + kInstance + ")");
    m_database.sql("select * from tekil.open_attempts(" + one + ",'{1}','{\"{\\\"amount\\\":\\\"1000.00\\\"}\"}',"
                   + kInstance + ",'30 s','1 s')");
    if (state != "Processing")
        finish(id, state == "Completed" ? "captured" : state == "Failed" ? "declined" : "unknown");
    return id;
}

void PaymentSeed::finish(const std::string& operationId, const std::string& proof)
{
    const std::string epoch = m_database.sql("select lease_epoch from tekil.idempotency_record where operation_id = '"
                                             + operationId + "'");
    const bool answered = proof != "unknown";
    m_database.sql("select * from tekil.finish_payments('{" + operationId + "}','{" + epoch + "}','{1}','{" + proof
                   + "}'," + (proof == "captured" ? "'{bank-77}'" : "array[null]::text[]") + ","
                   + (proof == "declined" ? "'{insufficient_funds}'"
                      : answered          ? "array[null]::text[]"
                                          : "'{no_answer}'")
                   + ","
                   + (answered ? "'{200}','{\"{\\\"status\\\":\\\"" + proof + "\\\"}\"}'"
                               : "array[null]::int[],array[null]::text[]")
                   + "," + kInstance + ",'{f}')");
}

void PaymentSeed::ringDoorbell()
{
    m_database.sql("select pg_notify('tekil_changed', '')");
}

std::string PaymentSeed::problems()
{
    return m_database.sql("select coalesce(string_agg(subject || ': ' || problem, '; '), '') from tekil.verify() where "
                          "subject is not null");
}

} // namespace tekil::test
