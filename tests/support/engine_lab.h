// A laboratory for whole-system tests: a throw-away workspace with tekild on it, a tekil-bank that errs on demand, the
// admin commands, SQL, and HTTP as a merchant sends it. Everything is a process of its own and real sockets.
#pragma once

#include "tests/support/ledger_oracle.h"
#include "tests/support/process.h"
#include "tests/support/raw_http.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tekil::test {

using Texts = std::vector<std::string>;

// What came back. status 0: nothing readable.
struct Reply {
    int status = 0;
    std::string body;
    std::string head; // status line and headers, as sent

    // The header's value, its name in any case; "" where there is none.
    std::string header(std::string_view name) const;
    // A member of the JSON body: a string's text or a number's; "" where there is none.
    std::string member(std::string_view name) const;
    // The last part of a problem's type: "duplicate-operation"; "" where the body is no problem+json.
    std::string problem() const;
};

// A running tekild.
class Engine {
public:
    // Waits for its ready line; nullptr where it ended before, with what it said on stderr in `why`.
    static std::unique_ptr<Engine> start(const Texts& arguments, const Texts& environment,
                                         const std::filesystem::path& log, std::string* why = nullptr);

    Process& process() { return *m_process; }
    std::uint16_t port() const { return m_port; }
    std::uint16_t adminPort() const { return m_adminPort; }
    const std::string& dsn() const { return m_dsn; }
    std::string log() const;
    // SIGTERM, and its exit code; nothing where it does not end in time.
    std::optional<int> terminate(std::chrono::milliseconds within = std::chrono::seconds(10));

private:
    std::unique_ptr<Process> m_process;
    std::filesystem::path m_log;
    std::uint16_t m_port = 0;
    std::uint16_t m_adminPort = 0;
    std::string m_dsn;
};

struct LabOptions {
    Texts environment = {};              // of tekild and its commands
    std::string capability = "idempotent,inquiry";
    Texts providerArguments = {};        // of admin provider add
    std::uint16_t providerPort = 0;      // a provider of the test's own; 0: tekil-bank
};

// One merchant, "shop", with a funded default account in TRY and a provider. Aborts where it cannot be set up.
class EngineLab {
public:
    explicit EngineLab(const LabOptions& options = {});
    EngineLab(const EngineLab&) = delete;
    EngineLab& operator=(const EngineLab&) = delete;
    ~EngineLab();

    const std::filesystem::path& directory() const { return m_directory; }
    std::string workspace() const { return (m_directory / "ws").string(); }
    Engine& engine() { return *m_engine; }
    // Starts tekild on the workspace again, after the last one ended.
    void restart();
    std::unique_ptr<Engine> startAnother(const Texts& arguments = {});

    // tekild with these arguments and --workspace, to its end. stderr goes to the second.
    Ended tekild(Texts arguments, std::string* errors = nullptr) const;
    // An admin command that must succeed; the given member of its JSON answer.
    std::string admin(Texts arguments, std::string_view member) const;
    // The first column of the first row, as the engine's role; or as another, such as the schema's owner.
    std::string sql(const std::string& text, const std::string& role = "tekil_engine") const;
    // The same as the schema's owner, who may set what the engine may not: rows' times above all.
    std::string owner(const std::string& text) const { return sql(text, "tekil_owner"); }
    std::int64_t count(const std::string& table) const;

    // An account of the merchant's, with money on it.
    std::string openAccount(const std::string& currency, const std::string& balance,
                            const std::string& merchant = "shop");
    void credit(const std::string& account, const std::string& amount) const;
    // Its API key.
    std::string addMerchant(const std::string& name, const std::string& account, const Texts& arguments = {});
    const std::string& account() const { return m_account; }
    const std::string& apiKey() const { return m_apiKey; }

    // Any request; header lines as given, in their order. A Content-Length is added to what has a body.
    Reply send(std::string_view method, std::string_view target, const Texts& headers, std::string_view body = {},
               std::uint16_t port = 0) const;
    // POST /payments as the merchant "shop".
    Reply post(std::string_view body, std::string_view key, const Texts& moreHeaders = {}) const;
    Reply get(std::string_view target) const;
    std::vector<Reply> postInParallel(std::string_view body, std::string_view key, int times) const;

    // The bank: its script (README of tekil-bank) and its books.
    void script(std::string_view rules) const;
    std::uint16_t bankPort() const { return m_bankPort; }
    std::vector<BankCharge> charges() const;
    int chargesOf(std::string_view operationId) const;
    std::int64_t bankCount(std::string_view name) const;
    std::string bankUrl() const;

    // Waits until the statement gives this text.
    bool becomes(const std::string& statement, const std::string& text,
                 std::chrono::milliseconds within = std::chrono::seconds(20));
    // Complaints of the bookkeeper and of `tekild verify`; "" where everything holds. With a bank of the test's own,
    // its books.
    std::string judge(const std::optional<std::vector<BankCharge>>& bank = std::nullopt) const;

private:
    Texts runArguments() const;

    LabOptions m_options;
    std::filesystem::path m_directory;
    int m_starts = 0;
    std::uint16_t m_bankPort = 0;
    std::unique_ptr<Process> m_bank;
    std::unique_ptr<Engine> m_engine;
    std::string m_account;
    std::string m_apiKey;
    mutable std::string m_dsn;
};

// A body of a payment for a fresh invoice.
std::string payment(std::string_view amount, std::string_view currency = "TRY", std::string_view moreMembers = {});
std::string freshKey();

} // namespace tekil::test
