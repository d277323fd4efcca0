#include "core/sandbox/demo_seed.h"

#include "core/base/digest.h"
#include "core/ledger/accounts.h"
#include "core/payments/merchant_store.h"
#include "core/people/operators.h"
#include "core/providers/provider_store.h"
#include "sql_queries.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <sstream>

namespace tekil::sandbox {

namespace {

using namespace std::chrono_literals;

constexpr const char* kModernBank = "bank";
constexpr const char* kOldBank = "oldbank";
constexpr std::string_view kOldBanksMerchant = "kargo";

struct Secret {
    std::string name;
    std::string role;
    std::string secret;
};

constexpr std::array<std::pair<const char*, const char*>, 6> kPeople{{{"support1", "support"},
                                                                      {"operations1", "operations"},
                                                                      {"finance1", "finance"},
                                                                      {"finance2", "finance"},
                                                                      {"auditor1", "auditor"},
                                                                      {"admin1", "admin"}}};
constexpr std::array<const char*, 4> kMerchants{"shop", "market", "bilet", "kargo"};

struct PayerSeed {
    const char* owner;
    const char* currency;
    std::int64_t minor;
};
// The last one is poor, so that some of its payments are declined here.
constexpr std::array kPayers{
    PayerSeed{"demo payer C-20418", "TRY", 90'000'000'000}, PayerSeed{"demo payer C-20977", "TRY", 90'000'000'000},
    PayerSeed{"demo payer C-40112", "EUR", 9'000'000'000},  PayerSeed{"demo payer C-51530", "JPY", 9'000'000'000},
    PayerSeed{"demo payer C-61877", "KWD", 9'000'000'000},  PayerSeed{"demo payer C-31004", "TRY", 400'000}};

Result<std::vector<Secret>> readSecrets(const std::filesystem::path& file)
{
    std::ifstream in(file);
    std::vector<Secret> secrets;
    std::string line;
    while (std::getline(in, line)) {
        std::istringstream parts(line);
        Secret secret;
        std::getline(parts, secret.name, '\t');
        std::getline(parts, secret.role, '\t');
        std::getline(parts, secret.secret, '\t');
        if (secret.name.empty() || secret.secret.empty())
            return Error{ErrorCode::IoFailed,
                         file.string() + " is damaged; take a new workspace for the demonstration"};
        secrets.push_back(std::move(secret));
    }
    return secrets;
}

// Whole or not at all: written beside and renamed.
Result<void> writeSecrets(const std::filesystem::path& file, const std::vector<Secret>& secrets)
{
    std::string text;
    for (const Secret& secret : secrets)
        text += secret.name + "\t" + secret.role + "\t" + secret.secret + "\n";
    const std::string fresh = file.string() + ".new";
    const int fd = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    const bool written = fd >= 0 && ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size())
                         && ::fsync(fd) == 0;
    if (fd >= 0)
        ::close(fd);
    if (!written || ::rename(fresh.c_str(), file.c_str()) != 0)
        return Error{ErrorCode::IoFailed, file.string() + " cannot be written"};
    return {};
}

template <class Make>
Result<std::vector<Secret>> keepSecrets(const std::filesystem::path& file, Make make)
{
    if (std::filesystem::exists(file))
        return readSecrets(file);
    const std::vector<Secret> secrets = make();
    if (const auto written = writeSecrets(file, secrets); !written)
        return written.error();
    return secrets;
}

Result<void> seedBank(db::Connection& owner, const char* name, const std::string& url, bool canBeAsked)
{
    const auto pointed = owner.run(sql::setup::pointProvider, db::Params().add(std::string_view(name)).add(url));
    if (!pointed)
        return pointed.error();
    if (pointed->count() == 1)
        return {};
    providers::NewProvider bank{.name = name, .url = url};
    bank.canIdempotent = canBeAsked;
    bank.canInquiry = canBeAsked;
    bank.timeout = 3s;
    const auto added = providers::addProvider(owner, bank);
    return added ? Result<void>() : added.error();
}

Result<std::vector<DemoPayer>> seedPayers(db::Connection& owner)
{
    auto rows = owner.run(sql::setup::demoAccounts, {}, db::Mode::Reads);
    if (!rows)
        return rows.error();
    for (std::size_t i = static_cast<std::size_t>(rows->count()); i < kPayers.size(); ++i) {
        const PayerSeed& seed = kPayers[i];
        const auto currency = Currency::fromCode(seed.currency);
        TEKIL_CHECK(currency.ok());
        const auto id = ledger::openAccount(owner, *currency, std::string(seed.owner), ledger::AccountKind::Customer);
        if (!id)
            return id.error();
        if (const auto funded = ledger::fundAccount(owner, Uuid::next(), *id, seed.minor, "demo"); !funded)
            return funded.error();
    }
    rows = owner.run(sql::setup::demoAccounts, {}, db::Mode::Reads);
    if (!rows)
        return rows.error();
    std::vector<DemoPayer> payers;
    for (int row = 0; row < rows->count(); ++row)
        payers.push_back({rows->int64(row, 0), *Currency::fromCode(rows->text(row, 1))});
    return payers;
}

Result<void> seedMerchants(db::Connection& owner, const std::vector<Secret>& merchants,
                           const std::vector<DemoPayer>& payers)
{
    for (const Secret& merchant : merchants) {
        const auto added = payments::addMerchant(
            owner, {.name = merchant.name,
                    .defaultAccountId = payers.front().accountId,
                    .provider = merchant.name == kOldBanksMerchant ? kOldBank : kModernBank,
                    .limit = std::nullopt,
                    .ratePerSecond = std::nullopt,
                    .apiKey = merchant.secret});
        if (!added && added.error().code != ErrorCode::AlreadyExists)
            return added.error();
        for (const DemoPayer& payer : payers)
            if (const auto granted = payments::grantAccount(owner, merchant.name, payer.accountId); !granted)
                return granted.error();
    }
    return {};
}

} // namespace

Result<DemoWorld> seedDemo(db::Connection& owner, const std::filesystem::path& directory, const DemoBanks& banks)
{
    const auto logins = keepSecrets(directory / "demo-logins", [] {
        std::vector<Secret> secrets;
        for (const auto& [login, role] : kPeople)
            secrets.push_back({login, role, people::makePassword()});
        return secrets;
    });
    if (!logins)
        return logins.error();
    const auto merchants = keepSecrets(directory / "demo-merchants", [] {
        constexpr std::size_t kKeyBytes = 32;
        std::vector<Secret> secrets;
        for (const char* name : kMerchants)
            secrets.push_back({name, "", "tk_" + randomToken(kKeyBytes)});
        return secrets;
    });
    if (!merchants)
        return merchants.error();
    for (const Secret& login : *logins) {
        const auto added = people::addOperator(owner, login.name, login.role, login.secret);
        if (!added && added.error().code != ErrorCode::AlreadyExists)
            return added.error();
    }
    if (const auto bank = seedBank(owner, kModernBank, banks.modern, true); !bank)
        return bank.error();
    if (const auto bank = seedBank(owner, kOldBank, banks.old, false); !bank)
        return bank.error();
    auto payers = seedPayers(owner);
    if (!payers)
        return payers.error();
    if (const auto seeded = seedMerchants(owner, *merchants, *payers); !seeded)
        return seeded.error();
    DemoWorld world{.merchants = {}, .payers = *std::move(payers)};
    for (const Secret& merchant : *merchants)
        world.merchants.push_back({merchant.name, merchant.secret});
    return world;
}

} // namespace tekil::sandbox
