#include "tests/support/site.h"

#include "core/base/json.h"

#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

namespace tekil::test {

namespace {

using namespace std::chrono_literals;

constexpr auto kLease = "4s"; // a busy machine needs a second or two from the claim to the attempt

[[noreturn]] void die(const std::string& what)
{
    std::fprintf(stderr, "site: %s\n", what.c_str());
    std::abort();
}

std::size_t bankOf(const ProviderClass& provider)
{
    return (provider.canIdempotent ? 0U : 2U) + (provider.canInquiry ? 0U : 1U);
}

std::string truth(bool value)
{
    return value ? "true" : "false";
}

} // namespace

Reply exchange(std::uint16_t port, std::string_view method, std::string_view target, const Texts& headers,
               std::string_view body, std::chrono::milliseconds patience)
{
    std::string request = std::string(method) + " " + std::string(target) + " HTTP/1.1\r\nHost: shop.example\r\n";
    for (const std::string& line : headers)
        request += line + "\r\n";
    if (!body.empty() || method == "POST")
        request += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    request += "\r\n" + std::string(body);
    RawClient client(port);
    if (!client.isConnected())
        return {};
    client.send(request);
    const std::string message = client.message(patience);
    return {statusOf(message), bodyOf(message), message.substr(0, message.find("\r\n\r\n"))};
}

Banks::Banks(const std::string& rules)
{
    for (Bank& bank : m_banks) {
        bank.process = std::make_unique<Process>(Texts{std::string(TEKIL_BIN_DIR) + "/tekil-bank"});
        const std::string ready = bank.process->readLine().value_or("");
        const std::size_t colon = ready.rfind(':');
        if (colon == std::string::npos)
            die("no bank");
        std::from_chars(ready.data() + colon + 1, ready.data() + ready.size(), bank.port);
    }
    setRules(rules);
}

void Banks::setRules(const std::string& rules) const
{
    for (std::size_t i = 0; i < m_banks.size(); ++i) {
        const std::string script = "{\"idempotent\":" + truth(i < 2) + ",\"inquiry\":" + truth(i % 2 == 0)
                                   + ",\"rules\":[" + rules + "]}";
        const Reply reply = exchange(m_banks[i].port, "POST", "/script", {"Content-Type: application/json"}, script);
        if (reply.status != 200)
            die("the bank refuses its script: " + reply.body);
    }
}

std::uint16_t Banks::portOf(const ProviderClass& provider) const
{
    return m_banks[bankOf(provider)].port;
}

std::vector<BankCharge> Banks::charges() const
{
    std::vector<BankCharge> all;
    for (const Bank& bank : m_banks)
        for (BankCharge& charge : readBankLedger(exchange(bank.port, "GET", "/ledger", {}).body))
            all.push_back(std::move(charge));
    return all;
}

bool Banks::knows(const ProviderClass& provider, const std::string& operationId) const
{
    return exchange(portOf(provider), "GET", "/charges/" + operationId, {}).status == 200;
}

void makeClusterDurable()
{
    const std::string admin = "postgres";
    TestDatabase any;
    for (const char* setting :
         {"fsync = on", "full_page_writes = on", "max_connections = 600", "shared_buffers = '128MB'"})
        any.sql(std::string("alter system set ") + setting);
    TestCluster::instance().crashAndRestart();
}

Site::Site(const Banks& banks, const SiteOptions& options)
{
    static std::atomic<int> count = 0;
    std::string pattern = "/tmp/tekil-site-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr)
        die("cannot create " + pattern);
    m_directory = pattern;
    std::ofstream(m_directory / "lease.toml") << "lease = \"" << kLease << "\"\n";
    sql("select tekil.open_account('TRY', 'A payer', 'customer')");
    sql("select tekil.fund_account(gen_random_uuid(), (select max(account_id) from tekil.account), 100000000000, "
        "'site')");
    for (std::size_t i = 0; i < kProviderClasses.size(); ++i) {
        const ProviderClass& provider = kProviderClasses[i];
        const std::uint16_t port = options.ports[i] != 0 ? options.ports[i] : banks.portOf(provider);
        const std::string name = "'" + std::string(provider.name) + "'";
        sql("insert into tekil.provider (name, base_url, can_idempotent, can_inquiry, timeout_ms, inquiry_grace, "
            "not_found_final) values ("
            + name + ", 'http://127.0.0.1:" + std::to_string(port) + "', " + truth(provider.canIdempotent) + ", "
            + truth(provider.canInquiry) + ", extract(epoch from interval '" + options.timeout + "') * 1000, '"
            + options.grace + "', " + truth(provider.notFoundFinal) + ")");
        sql("with a as (select min(account_id) as id from tekil.account where kind = 'customer'), m as (insert into "
            "tekil.merchant (name, api_key_hash, default_account_id, default_provider_id) select "
            + name + ", sha256(convert_to('key-' || " + name
            + ", 'UTF8')), a.id, (select max(provider_id) from tekil.provider) from a returning merchant_id, "
              "default_account_id) insert into tekil.merchant_account (merchant_id, account_id) select * from m");
    }
}

Site::~Site()
{
    std::error_code ignored;
    std::filesystem::remove_all(m_directory, ignored);
}

std::unique_ptr<Engine> Site::start(const std::string& roles, const std::string& fault, const std::string& dsn) const
{
    static std::atomic<int> count = 0;
    Texts arguments{
        "--dsn",    dsn.empty() ? m_database.dsn() : dsn, "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0",
        "--config", (m_directory / "lease.toml").string()};
    if (!roles.empty())
        arguments.insert(arguments.end(), {"--roles", roles});
    const Texts environment = fault.empty() ? Texts{} : Texts{"TEKIL_FAULT=" + fault};
    return Engine::start(arguments, environment, m_directory / ("tekild-" + std::to_string(++count) + ".log"));
}

Texts Site::headers(std::size_t providerClass, const std::string& key)
{
    Texts all{"Authorization: Bearer key-" + std::string(kProviderClasses[providerClass].name)};
    if (!key.empty())
        all.insert(all.end(), {"Content-Type: application/json", "Idempotency-Key: " + key});
    return all;
}

Reply Site::post(std::uint16_t port, std::size_t providerClass, const std::string& body, const std::string& key,
                 std::chrono::milliseconds patience)
{
    return exchange(port, "POST", "/payments", headers(providerClass, key), body, patience);
}

Reply Site::get(std::uint16_t port, std::size_t providerClass, const std::string& target)
{
    return exchange(port, "GET", target, headers(providerClass, {}));
}

std::string Site::judge(const std::vector<BankCharge>& charges) const
{
    std::set<std::string> mine;
    std::istringstream ids(sql("select coalesce(string_agg(operation_id::text, ' '), '') from tekil.payment"));
    for (std::string id; ids >> id;)
        mine.insert(id);
    std::vector<BankCharge> here;
    for (const BankCharge& charge : charges)
        if (mine.contains(charge.operationId))
            here.push_back(charge);
    std::string all;
    for (const std::string& complaint : judgeBooks(m_database.dsn(), here))
        all += complaint + "\n";
    const Ended verified = runToEnd(
        {std::string(TEKIL_BIN_DIR) + "/tekild", "verify", "--dsn", m_database.dsn("tekil_owner")});
    return verified.exitCode == 0 ? all : all + verified.output;
}

} // namespace tekil::test
