#include "tests/support/engine_lab.h"

#include "core/base/json.h"
#include "core/base/uuid.h"

#include <libpq-fe.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <future>
#include <thread>

namespace tekil::test {

namespace fs = std::filesystem;

namespace {

using namespace std::chrono_literals;

[[noreturn]] void die(const std::string& what)
{
    std::fprintf(stderr, "engine lab: %s\n", what.c_str());
    std::abort();
}

std::string program(const char* name)
{
    return std::string(TEKIL_BIN_DIR) + "/" + name;
}

std::string contentOf(const fs::path& file)
{
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::string memberOf(std::string_view json, std::string_view name)
{
    const auto value = parseJson(json);
    const JsonValue* const member = value && value->isObject() ? value->find(name) : nullptr;
    return member != nullptr ? member->text : "";
}

std::uint16_t portOfUrl(const std::string& url)
{
    std::uint16_t port = 0;
    const std::size_t colon = url.rfind(':');
    std::from_chars(url.data() + colon + 1, url.data() + url.size(), port);
    return port;
}

char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool startsWithIgnoringCase(std::string_view text, std::string_view start)
{
    if (text.size() < start.size())
        return false;
    for (std::size_t i = 0; i < start.size(); ++i)
        if (lower(text[i]) != lower(start[i]))
            return false;
    return true;
}

struct Closer {
    void operator()(PGconn* connection) const { PQfinish(connection); }
};

constexpr auto kPatience = 40s; // longer than any wait a merchant may ask for

} // namespace

std::string Reply::header(std::string_view name) const
{
    const std::string wanted = "\r\n" + std::string(name) + ":";
    for (std::size_t at = head.find("\r\n"); at != std::string::npos; at = head.find("\r\n", at + 2)) {
        if (!startsWithIgnoringCase(std::string_view(head).substr(at), wanted))
            continue;
        const std::size_t start = head.find_first_not_of(' ', at + wanted.size());
        return head.substr(start, head.find("\r\n", at + 2) - start);
    }
    return {};
}

std::string Reply::member(std::string_view name) const
{
    return memberOf(body, name);
}

std::string Reply::problem() const
{
    const std::string type = member("type");
    return header("Content-Type") == "application/problem+json" ? type.substr(type.rfind('/') + 1) : "";
}

std::unique_ptr<Engine> Engine::start(const Texts& arguments, const Texts& environment, const fs::path& log,
                                      std::string* why)
{
    Texts command{program("tekild"), "run"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    auto engine = std::make_unique<Engine>();
    engine->m_log = log;
    engine->m_process = std::make_unique<Process>(
        command, ProcessOptions{.environment = environment, .errorFile = log.string()});
    const auto ready = engine->m_process->readLine(60s);
    if (!ready) {
        if (why != nullptr)
            *why = engine->log();
        return nullptr;
    }
    engine->m_port = portOfUrl(memberOf(*ready, "http"));
    engine->m_adminPort = portOfUrl(memberOf(*ready, "admin"));
    engine->m_dsn = memberOf(*ready, "dsn");
    return engine;
}

std::string Engine::log() const
{
    return contentOf(m_log);
}

std::optional<int> Engine::terminate(std::chrono::milliseconds within)
{
    m_process->send(SIGTERM);
    return m_process->wait(within);
}

EngineLab::EngineLab(const LabOptions& options) : m_options(options)
{
    std::string pattern = "/tmp/tekil-lab-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr)
        die("cannot create " + pattern);
    m_directory = pattern;
    fs::permissions(m_directory, fs::perms(0755)); // the workspace's owner must enter it
    m_bankPort = options.providerPort;
    if (m_bankPort == 0) {
        m_bank = std::make_unique<Process>(Texts{program("tekil-bank")}, ProcessOptions{.errorFile = ""});
        m_bankPort = portOfUrl(memberOf(m_bank->readLine().value_or(""), "http"));
    }
    restart();
    m_account = admin({"account", "open", "--currency", "TRY"}, "accountId");
    credit(m_account, "100000000.00");
    Texts provider{"provider",     "add",
                   "--name",       "bank",
                   "--url",        "http://127.0.0.1:" + std::to_string(m_bankPort),
                   "--capability", options.capability};
    provider.insert(provider.end(), options.providerArguments.begin(), options.providerArguments.end());
    admin(provider, "providerId");
    m_apiKey = addMerchant("shop", m_account);
}

EngineLab::~EngineLab()
{
    if (m_engine)
        m_engine->terminate(15s);
    m_engine.reset();
    m_bank.reset();
    tekild({"workspace", "stop"}); // where an engine was killed, its server is still there
    std::error_code ignored;
    fs::remove_all(m_directory, ignored);
}

Texts EngineLab::runArguments() const
{
    return {"--workspace", workspace(), "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"};
}

void EngineLab::restart()
{
    m_engine.reset();
    std::string why;
    m_engine = Engine::start(runArguments(), m_options.environment,
                             m_directory / ("tekild-" + std::to_string(++m_starts) + ".log"), &why);
    if (!m_engine)
        die("tekild did not start: " + why);
    m_dsn = m_engine->dsn();
}

std::unique_ptr<Engine> EngineLab::startAnother(const Texts& arguments)
{
    Texts all = runArguments();
    all.insert(all.end(), arguments.begin(), arguments.end());
    return Engine::start(all, m_options.environment, m_directory / ("tekild-" + std::to_string(++m_starts) + ".log"));
}

Ended EngineLab::tekild(Texts arguments, std::string* errors) const
{
    const fs::path file = m_directory / ("command-" + freshKey() + ".log");
    arguments.insert(arguments.begin(), program("tekild"));
    arguments.insert(arguments.end(), {"--workspace", workspace()});
    Ended ended = runToEnd(arguments, {.environment = m_options.environment, .errorFile = file.string()});
    if (errors != nullptr)
        *errors = contentOf(file);
    return ended;
}

std::string EngineLab::admin(Texts arguments, std::string_view member) const
{
    arguments.insert(arguments.begin(), "admin");
    arguments.emplace_back("--json");
    std::string errors;
    const Ended ended = tekild(arguments, &errors);
    const std::string value = memberOf(ended.output, member);
    if (ended.exitCode != 0 || value.empty())
        die(arguments[1] + " " + arguments[2] + ": " + errors + ended.output);
    return value;
}

std::string EngineLab::sql(const std::string& text) const
{
    return run(m_dsn, text);
}

std::string EngineLab::owner(const std::string& text) const
{
    const std::string engine = "user=tekil_engine";
    std::string dsn = m_dsn;
    const std::size_t at = dsn.find(engine);
    if (at == std::string::npos)
        die("the dsn names no engine: " + dsn);
    return run(dsn.replace(at, engine.size(), "user=tekil_owner"), text);
}

std::string EngineLab::run(const std::string& dsn, const std::string& text)
{
    const std::unique_ptr<PGconn, Closer> connection(PQconnectdb(dsn.c_str()));
    PGresult* const result = PQexec(connection.get(), text.c_str());
    const ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
        die(text + ": " + PQerrorMessage(connection.get()));
    std::string first = PQntuples(result) > 0 ? PQgetvalue(result, 0, 0) : "";
    PQclear(result);
    return first;
}

std::int64_t EngineLab::count(const std::string& table) const
{
    return std::atoll(sql("select count(*) from tekil." + table).c_str());
}

std::string EngineLab::openAccount(const std::string& currency, const std::string& balance, const std::string& merchant)
{
    std::string account = admin({"account", "open", "--currency", currency}, "accountId");
    admin({"merchant", "grant", "--name", merchant, "--account", account}, "accountId");
    credit(account, balance);
    return account;
}

void EngineLab::credit(const std::string& account, const std::string& amount) const
{
    admin({"account", "credit", "--account", account, "--amount", amount, "--id", Uuid::random().text()},
          "transactionId");
}

std::string EngineLab::addMerchant(const std::string& name, const std::string& account, const Texts& arguments)
{
    Texts all{"merchant", "add", "--name", name, "--default-account", account, "--provider", "bank"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return admin(all, "apiKey");
}

Reply EngineLab::send(std::string_view method, std::string_view target, const Texts& headers, std::string_view body,
                      std::uint16_t port) const
{
    std::string request = std::string(method) + " " + std::string(target) + " HTTP/1.1\r\nHost: shop.example\r\n";
    for (const std::string& line : headers)
        request += line + "\r\n";
    if (!body.empty() || method == "POST")
        request += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    request += "\r\n" + std::string(body);
    RawClient client(port != 0 ? port : m_engine->port());
    if (!client.isConnected())
        return {};
    client.send(request);
    const std::string message = client.message(kPatience);
    return {statusOf(message), bodyOf(message), message.substr(0, message.find("\r\n\r\n"))};
}

Reply EngineLab::post(std::string_view body, std::string_view key, const Texts& moreHeaders) const
{
    Texts headers{"Authorization: Bearer " + m_apiKey, "Content-Type: application/json",
                  "Idempotency-Key: " + std::string(key)};
    headers.insert(headers.end(), moreHeaders.begin(), moreHeaders.end());
    return send("POST", "/payments", headers, body);
}

Reply EngineLab::get(std::string_view target) const
{
    return send("GET", target, {"Authorization: Bearer " + m_apiKey});
}

std::vector<Reply> EngineLab::postInParallel(std::string_view body, std::string_view key, int times) const
{
    std::vector<std::future<Reply>> waiting;
    for (int i = 0; i < times; ++i)
        waiting.push_back(std::async(std::launch::async, [this, body, key] { return post(body, key); }));
    std::vector<Reply> replies;
    for (auto& each : waiting)
        replies.push_back(each.get());
    return replies;
}

void EngineLab::script(std::string_view rules) const
{
    const Reply reply = send("POST", "/script", {"Content-Type: application/json"}, rules, m_bankPort);
    if (reply.status != 200)
        die("the bank refuses its script: " + reply.body);
}

std::vector<BankCharge> EngineLab::charges() const
{
    return readBankLedger(send("GET", "/ledger", {}, {}, m_bankPort).body);
}

int EngineLab::chargesOf(std::string_view operationId) const
{
    int times = 0;
    for (const BankCharge& charge : charges())
        times += charge.operationId == operationId ? 1 : 0;
    return times;
}

std::int64_t EngineLab::bankCount(std::string_view name) const
{
    return std::atoll(send("GET", "/ledger/counts", {}, {}, m_bankPort).member(name).c_str());
}

bool EngineLab::becomes(const std::string& statement, const std::string& text, std::chrono::milliseconds within)
{
    const auto until = std::chrono::steady_clock::now() + within;
    while (sql(statement) != text) {
        if (std::chrono::steady_clock::now() >= until)
            return false;
        std::this_thread::sleep_for(20ms);
    }
    return true;
}

std::string EngineLab::judge(const std::optional<std::vector<BankCharge>>& bank) const
{
    const bool hasBank = bank.has_value() || m_bank != nullptr;
    std::string all;
    for (const std::string& complaint : hasBank ? judgeBooks(m_dsn, bank ? *bank : charges()) : judgeBooks(m_dsn))
        all += complaint + "\n";
    std::string errors;
    const Ended verified = tekild({"verify"}, &errors);
    return verified.exitCode == 0 ? all : all + verified.output + errors;
}

std::string payment(std::string_view amount, std::string_view currency, std::string_view moreMembers)
{
    static std::atomic<int> invoice = 1000;
    return "{\"invoiceId\":" + std::to_string(++invoice) + ",\"amount\":" + std::string(amount) + ",\"currency\":\""
           + std::string(currency) + "\"" + std::string(moreMembers) + "}";
}

std::string freshKey()
{
    return Uuid::next().text();
}

} // namespace tekil::test
