#include "core/bench/steps.h"

#include "core/base/clock.h"
#include "core/base/digest.h"
#include "core/base/money.h"
#include "core/payments/request.h"
#include "sql_queries.h"

#include <charconv>

namespace tekil::bench {

namespace {

constexpr std::int64_t kInvoicesAMs = 1'000;
constexpr std::int64_t kMinor = 12'345;
constexpr std::string_view kLease = "30000 ms";
constexpr std::string_view kMargin = "500 ms";
constexpr std::string_view kReference = "BNK-0000000001";

const std::vector<std::pair<std::string, std::string>>& laneSettings()
{
    static const std::vector<std::pair<std::string, std::string>> settings{{"plan_cache_mode", "force_generic_plan"},
                                                                           {"enable_seqscan", "off"},
                                                                           {"enable_hashjoin", "off"},
                                                                           {"enable_mergejoin", "off"},
                                                                           {"jit", "off"}};
    return settings;
}

template <class T>
std::vector<T> one(T value)
{
    return {std::move(value)};
}

// The statement with its parameters replaced by these texts.
std::string bound(const sql::Statement& statement, const std::vector<std::string>& values)
{
    std::string text;
    std::string_view rest = statement.text;
    while (true) {
        const std::size_t at = rest.find('$');
        text += rest.substr(0, at);
        if (at == std::string_view::npos)
            return text;
        rest.remove_prefix(at + 1);
        std::size_t number = 0;
        const auto [stop, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
        TEKIL_CHECK(error == std::errc() && number >= 1 && number <= values.size());
        text += values[number - 1];
        rest.remove_prefix(static_cast<std::size_t>(stop - rest.data()));
    }
}

} // namespace

std::string laneOptions()
{
    std::string options = "-c synchronous_commit=on";
    for (const auto& [name, value] : laneSettings())
        options += " -c " + name + "=" + value;
    return options;
}

Steps::Steps(const Site& site, db::Connection connection)
    : m_site(site), m_connection(std::move(connection)), m_invoice(wallClockMs() * kInvoicesAMs)
{
}

Result<Steps> Steps::connect(const Site& site)
{
    db::ConnectionSettings settings;
    settings.applicationName = "tekil-bench steps";
    settings.extra = laneSettings();
    auto connection = db::Connection::open(site.engineDsn(), settings);
    if (!connection)
        return connection.error();
    return Steps(site, *std::move(connection));
}

Result<std::chrono::nanoseconds> Steps::run()
{
    using payments::kHashVersion;
    const Parties& parties = m_site.parties();
    const std::size_t place = m_next++ % m_site.options().accounts;
    const Uuid id = Uuid::next();
    const std::string invoice = std::to_string(m_invoice++);
    const std::string charge = "{\"operationId\":\"" + id.text() + "\",\"merchantReference\":\"" + invoice
                               + "\",\"amount\":\"" + decimalFromMinor(kMinor, 2) + "\",\"currency\":\"TRY\"";

    db::Params claim, accept, attempt, finish;
    claim.add(one(parties.firstMerchant + static_cast<std::int64_t>(place % parties.apiKeys.size())));
    claim.add(one(id.text())).add(one(id)).add(one(sha256(invoice)));
    claim.add(one(std::optional(parties.firstAccount + static_cast<std::int64_t>(place))));
    claim.add(one(std::optional(parties.directProviderName)))
        .add(one(std::optional<std::string>()))
        .add(one(std::string("sale")));
    claim.add(one(invoice)).add(std::vector<bool>{true}).add(one(kMinor)).add(one(std::string("TRY")));
    claim.add(one(std::optional<std::string>())).add(kHashVersion).add(m_instance).add(kLease);
    claim.add(std::vector<std::int64_t>{});
    accept.add(one(id)).add(one(std::int64_t{1})).add(m_instance);
    attempt.add(one(id)).add(one(std::int64_t{1})).add(one(charge + "}")).add(m_instance).add(kLease).add(kMargin);
    finish.add(one(id)).add(one(std::int64_t{1})).add(one(std::int64_t{1})).add(one(std::string("captured")));
    finish.add(one(std::optional(std::string(kReference)))).add(one(std::optional<std::string>()));
    finish.add(one(std::int64_t{201})).add(one(std::optional(charge + ",\"status\":\"captured\"}")));
    finish.add(m_instance).add(std::vector<bool>{false});
    finish.add(one(std::optional<std::int64_t>())).add(std::vector<bool>{false});

    const auto before = std::chrono::steady_clock::now();
    for (const auto& [statement, params] :
         {std::pair(&sql::payments::claim, &claim), std::pair(&sql::payments::accept, &accept),
          std::pair(&sql::payments::openAttempts, &attempt), std::pair(&sql::payments::finish, &finish)}) {
        const auto rows = m_connection.run(*statement, *params);
        if (!rows)
            return rows.error();
        if (rows->count() != 1)
            return Error{ErrorCode::StatementFailed, std::string(statement->name) + " did not do its one payment"};
    }
    return std::chrono::steady_clock::now() - before;
}

std::string stepsScript(const std::string& instance)
{
    const std::string self = "'" + instance + "'";
    const std::string id = "array[:operation_id]";
    const std::string charge = "'{\"operationId\":\"' || :operation_id::uuid || '\",\"merchantReference\":\"' || "
                               ":invoice::bigint || '\",\"amount\":\"123.45\",\"currency\":\"TRY\"'";
    std::string script = "\\set n :n + 1\n"
                         "\\set invoice :first_invoice + :client_id * 100000000 + :n\n"
                         "\\set i random(0, :accounts - 1)\n"
                         "\\set payer :first_account + :i\n"
                         "\\set merchant :first_merchant + :i % :merchants\n"
                         "\\set amount random(100, 99999)\n";
    const std::string timeSorted
        = "array[(lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0') "
          "|| '7' || substr(replace(gen_random_uuid()::text, '-', ''), 14))::uuid]";
    script += bound(sql::payments::claim,
                    {"array[:merchant]", "array[gen_random_uuid()::text]", timeSorted,
                     "array[sha256(int8send(:invoice::bigint))]", "array[:payer]", "array[:provider_name]",
                     "array[null]", "array['sale']", "array[:invoice::bigint::text]", "array[true]", "array[:amount]",
                     "array['TRY']", "array[null]", "1", self, "'" + std::string(kLease) + "'", "'{}'"})
              + "\n\\gset\n";
    script += bound(sql::payments::accept, {id, "array[1]", self}) + ";\n";
    script += bound(sql::payments::openAttempts, {id, "array[1]", "array[" + charge + " || '}']", self,
                                                  "'" + std::string(kLease) + "'", "'" + std::string(kMargin) + "'"})
              + ";\n";
    script += bound(sql::payments::finish,
                    {id, "array[1]", "array[1]", "array['captured']", "array['" + std::string(kReference) + "']",
                     "array[null]", "array[201]", "array[" + charge + " || ',\"status\":\"captured\"}']", self,
                     "array[false]", "array[null]", "array[false]"})
              + ";\n";
    return script;
}

} // namespace tekil::bench
