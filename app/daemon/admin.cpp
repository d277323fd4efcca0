#include "app/daemon/commands.h"

#include "core/base/duration.h"
#include "core/base/json.h"
#include "core/ledger/accounts.h"
#include "core/payments/merchant_store.h"
#include "core/people/operators.h"
#include "core/providers/provider_store.h"

#include <cstdio>
#include <fstream>
#include <unistd.h>

namespace tekil::daemon {

namespace {

// Says what was done, in JSON or in words.
int tell(bool json, std::string jsonText, const std::string& words)
{
    std::printf("%s\n", json ? jsonText.c_str() : words.c_str());
    return 0;
}

// Runs the command on a connection of the owner.
template <class Run>
int withOwner(const TargetOptions& options, Run run)
{
    auto target = Target::open(options);
    if (!target)
        return fail(target.error());
    int code = 0;
    {
        auto connection = target->connectAsOwner();
        code = connection ? run(*connection) : fail(connection.error());
    }
    if (const auto closed = target->close(); !closed)
        return fail(closed.error());
    return code;
}

std::string runBy()
{
    return "tekild admin, uid " + std::to_string(getuid());
}

} // namespace

int fail(const Error& error)
{
    std::fprintf(stderr, "tekild: %s\n", error.detail.c_str());
    return 1;
}

int usage(const std::string& what)
{
    std::fprintf(stderr, "tekild: %s\n", what.c_str());
    return 2;
}

int openAccount(const TargetOptions& target, const AdminOptions& options, bool json)
{
    const auto currency = Currency::fromCode(options.currency);
    if (!currency)
        return usage("--currency: " + currency.error().detail);
    if (options.kind == "system")
        return usage("--kind: system accounts open themselves when first needed; open a customer's or a merchant's");
    if (options.kind != "customer" && options.kind != "merchant")
        return usage("--kind: must be customer or merchant");
    const auto kind = options.kind == "customer" ? ledger::AccountKind::Customer : ledger::AccountKind::Merchant;
    const auto owner = options.owner.empty() ? std::nullopt : std::optional<std::string>(options.owner);
    return withOwner(target, [&](db::Connection& connection) {
        const auto id = ledger::openAccount(connection, *currency, owner, kind);
        if (!id)
            return fail(id.error());
        return tell(json, JsonWriter().number("accountId", *id).take(), "opened account " + std::to_string(*id));
    });
}

int creditAccount(const TargetOptions& target, const AdminOptions& options, bool json)
{
    const auto id = Uuid::fromText(options.id);
    if (!id)
        return usage("--id: must be a UUID of your own; the same one again changes nothing");
    return withOwner(target, [&](db::Connection& connection) {
        const auto currency = ledger::currencyOf(connection, options.account);
        if (!currency)
            return fail(currency.error());
        const auto minor = minorFromDecimal(options.amount, currency->exponent());
        if (!minor)
            return usage("--amount: " + minor.error().detail);
        const auto done = ledger::fundAccount(connection, *id, options.account, *minor, runBy());
        if (!done)
            return fail(done.error());
        return tell(json, JsonWriter().member("transactionId", id->text()).take(),
                    "credited " + decimalFromMinor(*minor, currency->exponent()) + " " + std::string(currency->code())
                        + " to account " + std::to_string(options.account));
    });
}

int addProvider(const TargetOptions& target, const AdminOptions& options, bool json)
{
    providers::NewProvider provider{.name = options.name, .url = options.url};
    provider.canIdempotent = options.capability.find("idempotent") != std::string::npos;
    provider.canInquiry = options.capability.find("inquiry") != std::string::npos;
    provider.notFoundFinal = options.notFoundFinal;
    struct Time {
        const char* name;
        const std::string& text;
        std::chrono::milliseconds& target;
    };
    for (const Time& time : {Time{"--timeout", options.timeout, provider.timeout},
                             Time{"--key-window", options.keyWindow, provider.keyWindow},
                             Time{"--inquiry-grace", options.inquiryGrace, provider.inquiryGrace}}) {
        const auto read = readDuration(time.text);
        if (!read)
            return usage(std::string(time.name) + ": " + read.error().detail);
        time.target = *read;
    }
    return withOwner(target, [&](db::Connection& connection) {
        const auto id = providers::addProvider(connection, provider);
        if (!id)
            return fail(id.error());
        return tell(json, JsonWriter().number("providerId", *id).take(), "added provider " + options.name);
    });
}

int addMerchant(const TargetOptions& target, const AdminOptions& options, bool json)
{
    return withOwner(target, [&](db::Connection& connection) {
        const auto added = payments::addMerchant(connection, {.name = options.name,
                                                              .defaultAccountId = options.account,
                                                              .provider = options.provider,
                                                              .limit = options.limit,
                                                              .ratePerSecond = options.rate});
        if (!added)
            return fail(added.error());
        return tell(json, JsonWriter().number("merchantId", added->id).member("apiKey", added->apiKey).take(),
                    "added merchant " + options.name + "\nits API key, told this once: " + added->apiKey);
    });
}

int grantAccount(const TargetOptions& target, const AdminOptions& options, bool json)
{
    return withOwner(target, [&](db::Connection& connection) {
        const auto id = payments::grantAccount(connection, options.name, options.account);
        if (!id)
            return fail(id.error());
        return tell(json, JsonWriter().number("merchantId", *id).number("accountId", options.account).take(),
                    options.name + " may debit account " + std::to_string(options.account));
    });
}

int addOperator(const TargetOptions& target, const AdminOptions& options, bool json)
{
    std::string password;
    if (!options.passwordFile.empty()) {
        std::ifstream file(options.passwordFile);
        if (!std::getline(file, password) || password.empty())
            return fail(Error{ErrorCode::IoFailed, "no password can be read from " + options.passwordFile});
    }
    const bool made = password.empty();
    if (made)
        password = people::makePassword();
    return withOwner(target, [&](db::Connection& connection) {
        const auto added = people::addOperator(connection, options.login, options.role, password);
        if (!added)
            return fail(added.error());
        JsonWriter answer;
        answer.member("login", options.login);
        if (made)
            answer.member("password", password);
        return tell(json, answer.take(),
                    "added operator " + options.login + (made ? "\nits password, told this once: " + password : ""));
    });
}

} // namespace tekil::daemon
