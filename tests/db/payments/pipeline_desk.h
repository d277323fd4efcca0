// The pipeline itself in the test's process, with a simulated bank, on a database of the test's own: payments are
// submitted as the HTTP door submits them.
#pragma once

#include "core/payments/pipeline.h"
#include "core/sandbox/bank.h"
#include "tests/db/payments/books.h"

#include <future>
#include <memory>
#include <string>
#include <vector>

namespace tekil::test {

using payments::Answer;

struct Order {
    std::string invoice;
    std::int64_t amountMinor = 100;
    std::optional<std::int64_t> account = {}; // the merchant's default
    std::string key = {}; // "key-" and the invoice where empty
};

// One engine's pipeline on somebody's books.
class Till {
public:
    Till(const Books& books, std::string dsn, std::size_t maxInFlight = 10'000)
        : m_merchant(books.merchant),
          m_pipeline(m_loop,
                     {.dsn = std::move(dsn), .instance = Uuid::next(), .admission = {.maxInFlight = maxInFlight}})
    {
    }
    ~Till() { stop(); }

    void stop()
    {
        m_loop.stop();
        m_pipeline.stop();
    }
    std::future<Answer> submit(const Order& order)
    {
        auto promise = std::make_shared<std::promise<Answer>>();
        payments::PaymentRequest request{.invoiceId = order.invoice,
                                         .amount = Money(order.amountMinor, must(Currency::fromCode("TRY"))),
                                         .accountId = order.account,
                                         .customerId = {},
                                         .paymentType = {},
                                         .description = {},
                                         .provider = {}};
        m_pipeline.submit({.merchantId = m_merchant,
                           .key = order.key.empty() ? "key-" + order.invoice : order.key,
                           .request = std::move(request),
                           .wait = std::chrono::seconds(60),
                           .onAnswer = [promise](Answer answer) { promise->set_value(std::move(answer)); }});
        return promise->get_future();
    }
    Answer pay(const Order& order) { return submit(order).get(); }
    std::vector<Answer> payAtOnce(const std::vector<Order>& orders)
    {
        std::vector<std::future<Answer>> waiting;
        for (const Order& order : orders)
            waiting.push_back(submit(order));
        std::vector<Answer> answers;
        for (auto& one : waiting)
            answers.push_back(one.get());
        return answers;
    }
    payments::Pipeline& pipeline() { return m_pipeline; }

private:
    std::int64_t m_merchant;
    http::Loop m_loop{{.name = "till", .threads = 1}};
    payments::Pipeline m_pipeline;
};

// Books, a bank and the first till.
class Desk {
public:
    explicit Desk(std::int64_t balanceMinor) : books(balanceMinor), bank(must(sandbox::Bank::start(m_bankLoop, {})))
    {
        books.sql("update tekil.provider set base_url = '" + bank->url() + "'");
        till = std::make_unique<Till>(books, books.database.dsn());
    }
    ~Desk()
    {
        till.reset();
        m_bankLoop.stop();
    }

    // Polls a statement until it gives this text.
    bool becomes(const std::string& statement, const std::string& text) const
    {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        while (books.sql(statement) != text) {
            if (std::chrono::steady_clock::now() > end)
                return false;
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
        return true;
    }
    // How many batches wrote this kind of event: the rows of one have one instant.
    std::int64_t batches(const std::string& kind) const
    {
        return std::stoll(books.sql("select count(distinct at) from tekil.key_event where kind = '" + kind + "'"));
    }
    std::int64_t account(std::int64_t balanceMinor)
    {
        const std::int64_t id = must(ledger::openAccount(books.owner, must(Currency::fromCode("TRY")), "Another payer",
                                                         ledger::AccountKind::Customer));
        if (!ledger::fundAccount(books.owner, Uuid::next(), id, balanceMinor, "test"))
            qFatal("the account cannot be funded");
        books.sql("insert into tekil.merchant_account values (" + std::to_string(books.merchant) + ", "
                  + std::to_string(id) + ")");
        return id;
    }
    // Makes statements on a table fail: `raise` is the body of a row trigger, as a fault of the server's would come.
    void breakTable(const std::string& table, const std::string& when, const std::string& raise) const
    {
        books.sql("create schema if not exists fault; grant usage on schema fault to tekil_engine;"
                  "create sequence if not exists fault.hits; grant usage on sequence fault.hits to tekil_engine;"
                  "create or replace function fault.raise() returns trigger language plpgsql as $f$ begin "
                  + raise + "; return new; end $f$; create trigger aa_fault " + when + " on " + table
                  + " for each row execute function fault.raise()");
    }
    void mendTable(const std::string& table) const { books.sql("drop trigger aa_fault on " + table); }

    Books books;

private:
    http::Loop m_bankLoop{{.name = "bank", .threads = 1}};

public:
    std::unique_ptr<sandbox::Bank> bank;
    std::unique_ptr<Till> till;
};

} // namespace tekil::test
