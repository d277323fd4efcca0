// A seeded database for tests of the SQL that moves money: one provider, one merchant with a funded account, and the
// engine's own statements called as the engine calls them.
#pragma once

#include "core/db/connection.h"
#include "core/ledger/accounts.h"
#include "core/payments/merchant_store.h"
#include "core/payments/request.h"
#include "core/providers/provider_store.h"
#include "sql_queries.h"
#include "tests/support/cluster.h"
#include "tests/support/ledger_oracle.h"

#include <QtGlobal>

#include <map>
#include <string>
#include <vector>

namespace tekil::test {

template <class T>
T must(Result<T> result)
{
    if (!result)
        qFatal("%s", result.error().detail.c_str());
    return *std::move(result);
}

inline db::Connection connectTo(const TestDatabase& database, const char* user = "tekil_engine")
{
    return must(db::Connection::open(database.dsn(user)));
}

struct Wanted {
    std::string key;
    std::string invoice;
    std::int64_t amountMinor = 0;
    Uuid id = Uuid::next();
};

struct Ending {
    Uuid id;
    std::int64_t epoch = 1;
    std::string proof;
    std::optional<std::int64_t> attempt = 1;
    std::optional<std::string> reference = {};
    std::optional<std::string> code = {};
    std::optional<std::int64_t> httpStatus = 200;
    bool asked = false; // the proof comes from an inquiry
    std::optional<std::int64_t> sentAfterUs = {}; // from the attempt's start to its first byte
    bool sentLate = false;                        // at or after send_before
};

class Books {
public:
    explicit Books(std::int64_t balanceMinor) : owner(connectTo(database, "tekil_owner")), engine(connectTo(database))
    {
        const Currency lira = must(Currency::fromCode("TRY"));
        account = must(ledger::openAccount(owner, lira, "A payer", ledger::AccountKind::Customer));
        if (balanceMinor > 0 && !ledger::fundAccount(owner, Uuid::next(), account, balanceMinor, "test"))
            qFatal("the account cannot be funded");
        provider = must(providers::addProvider(
            owner, {.name = "bank", .url = "http://127.0.0.1:1", .canIdempotent = true, .canInquiry = true}));
        merchant = must(payments::addMerchant(owner, {.name = "shop",
                                                      .defaultAccountId = account,
                                                      .provider = "bank",
                                                      .limit = {},
                                                      .ratePerSecond = {}}))
                       .id;
    }

    static db::Params claimParams(std::int64_t merchantId, const std::vector<Wanted>& batch, Uuid instanceId)
    {
        const std::size_t n = batch.size();
        std::vector<std::string> keys, invoices;
        std::vector<Uuid> ids;
        std::vector<Sha256> hashes;
        std::vector<std::int64_t> amounts;
        for (const Wanted& wanted : batch) {
            keys.push_back(wanted.key);
            invoices.push_back(wanted.invoice);
            ids.push_back(wanted.id);
            hashes.push_back(sha256(wanted.invoice + std::to_string(wanted.amountMinor)));
            amounts.push_back(wanted.amountMinor);
        }
        const std::vector<std::optional<std::string>> none(n);
        db::Params params;
        params.add(std::vector<std::int64_t>(n, merchantId)).add(keys).add(ids).add(hashes);
        params.add(std::vector<std::optional<std::int64_t>>(n))
            .add(none)
            .add(none)
            .add(std::vector<std::string>(n, "sale"));
        params.add(invoices)
            .add(std::vector<bool>(n, false))
            .add(amounts)
            .add(std::vector<std::string>(n, "TRY"))
            .add(none);
        return std::move(
            params.add(payments::kHashVersion).add(instanceId).add("30 s").add(std::vector<std::int64_t>{}));
    }

    // How many keys were new.
    int claim(const std::vector<Wanted>& batch)
    {
        return must(engine.run(sql::payments::claim, claimParams(merchant, batch, instance))).count();
    }

    // Each operation's outcome, in the order given.
    std::vector<std::string> accept(const std::vector<Wanted>& batch) { return acceptWith(engine, batch); }
    std::vector<std::string> acceptWith(db::Connection& connection, const std::vector<Wanted>& batch) const
    {
        std::vector<Uuid> ids;
        for (const Wanted& wanted : batch)
            ids.push_back(wanted.id);
        db::Params params;
        params.add(ids).add(std::vector<std::int64_t>(ids.size(), 1)).add(instance);
        const db::Rows rows = must(connection.run(sql::payments::accept, params));
        std::map<Uuid, std::string> outcomes;
        for (int row = 0; row < rows.count(); ++row)
            outcomes[rows.uuid(row, 0)] = rows.text(row, 1);
        std::vector<std::string> out;
        for (const Uuid id : ids)
            out.push_back(outcomes[id]);
        return out;
    }

    // The send_before of the attempt that was opened; "" where none was.
    std::string openAttempt(Uuid id, std::int64_t epoch = 1)
    {
        db::Params params;
        params.add(std::vector<Uuid>{id}).add(std::vector<std::int64_t>{epoch}).add(std::vector<std::string>{"{}"});
        const db::Rows rows = must(
            engine.run(sql::payments::openAttempts, params.add(instance).add("30 s").add("500 ms")));
        return rows.count() == 0 ? "" : std::string(rows.optionalText(0, 2).value_or(""));
    }

    // A payment with an open attempt, as it is while the provider is spoken to.
    Wanted sent(const std::string& invoice, std::int64_t amountMinor)
    {
        const Wanted wanted{.key = "key-" + invoice, .invoice = invoice, .amountMinor = amountMinor};
        if (claim({wanted}) != 1 || accept({wanted}) != std::vector<std::string>{"accepted"}
            || openAttempt(wanted.id).empty())
            qFatal("payment %s cannot be set up", invoice.c_str());
        return wanted;
    }

    // "done" or "lost".
    std::string finish(const Ending& ending) { return finishAll(engine, {ending}).front(); }
    // The same of each, in the order given.
    std::vector<std::string> finishAll(db::Connection& connection, const std::vector<Ending>& endings) const
    {
        using std::optional, std::vector;
        vector<Uuid> ids;
        vector<std::int64_t> epochs;
        vector<optional<std::int64_t>> attempts, statuses;
        vector<std::string> proofs;
        vector<optional<std::string>> references, codes;
        vector<optional<std::int64_t>> sentAfter;
        vector<bool> asked, late;
        for (const Ending& ending : endings) {
            ids.push_back(ending.id);
            epochs.push_back(ending.epoch);
            attempts.push_back(ending.attempt);
            statuses.push_back(ending.httpStatus);
            proofs.push_back(ending.proof);
            references.push_back(ending.reference);
            codes.push_back(ending.code);
            asked.push_back(ending.asked);
            sentAfter.push_back(ending.sentAfterUs);
            late.push_back(ending.sentLate);
        }
        db::Params params;
        params.add(ids).add(epochs).add(attempts).add(proofs).add(references).add(codes).add(statuses);
        params.add(vector<optional<std::string>>(ids.size())).add(instance).add(asked).add(sentAfter).add(late);
        const db::Rows rows = must(connection.run(sql::payments::finish, params));
        std::map<Uuid, std::string> outcomes;
        for (int row = 0; row < rows.count(); ++row)
            outcomes[rows.uuid(row, 0)] = rows.text(row, 1);
        vector<std::string> out;
        for (const Uuid id : ids)
            out.push_back(outcomes[id]);
        return out;
    }

    std::string sql(const std::string& text) const { return database.sql(text); }
    std::string statusOf(Uuid id) const
    {
        return sql("select status from tekil.payment where operation_id = '" + id.text() + "'");
    }
    std::string reservationOf(Uuid id) const
    {
        return sql("select status from tekil.balance_reservation where operation_id = '" + id.text() + "'");
    }
    // "available/reserved" in minor units.
    std::string balance() const
    {
        return sql("select available_minor || '/' || reserved_minor from tekil.account where account_id = "
                   + std::to_string(account));
    }
    // What the bookkeeper complains of; "" where the books hold.
    std::string judge() const
    {
        std::string all;
        for (const std::string& complaint : judgeBooks(database.dsn("postgres")))
            all += complaint + "\n";
        return all;
    }

    const TestDatabase database;
    db::Connection owner; // sets up; the engine's role may not
    db::Connection engine;
    const Uuid instance = Uuid::next();
    std::int64_t provider = 0;
    std::int64_t account = 0;
    std::int64_t merchant = 0;
};

} // namespace tekil::test
