// Engines that are killed, paused and joined by others: databases of one cluster, a provider and a merchant of each
// class of provider in each of them, and the banks behind. Engines start in a fraction of a second, with short leases.
#pragma once

#include "tests/support/cluster.h"
#include "tests/support/engine_lab.h"

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tekil::test {

// What a provider can do, and whether its "not found" is final.
struct ProviderClass {
    const char* name;
    bool canIdempotent, canInquiry, notFoundFinal;
};
inline constexpr std::array<ProviderClass, 6> kProviderClasses{{{"both", true, true, false},
                                                                {"both-final", true, true, true},
                                                                {"idempotent", true, false, false},
                                                                {"inquiry", false, true, false},
                                                                {"inquiry-final", false, true, true},
                                                                {"none", false, false, false}}};

// Four banks, for each of what a bank can do: what one cannot, it truly cannot.
class Banks {
public:
    // The rules of a script (README of tekil-bank), the same for all.
    explicit Banks(const std::string& rules);

    std::uint16_t portOf(const ProviderClass& provider) const;
    void setRules(const std::string& rules) const;
    std::vector<BankCharge> charges() const;
    // Whether it would find the operation: captured, declined or pending.
    bool knows(const ProviderClass& provider, const std::string& operationId) const;

private:
    struct Bank {
        std::unique_ptr<Process> process;
        std::uint16_t port = 0;
    };
    std::array<Bank, 4> m_banks;
};

// Makes the throw-away cluster one that an engine accepts, with room for many of them. Once, before any Site.
void makeClusterDurable();

struct SiteOptions {
    std::string timeout = "2s"; // of every provider
    std::string grace = "300ms"; // of its inquiries
    std::array<std::uint16_t, 6> ports{}; // instead of the banks', where not 0
};

class Site {
public:
    explicit Site(const Banks& banks, const SiteOptions& options = {});
    ~Site();

    const TestDatabase& database() const { return m_database; }
    std::string sql(const std::string& text) const { return m_database.sql(text); }
    // Roles "" are all; a fault as TEKIL_FAULT has it; a conninfo of its own where a proxy stands between. nullptr: it
    // did not start, or died before it was ready.
    std::unique_ptr<Engine> start(const std::string& roles = {}, const std::string& fault = {},
                                  const std::string& dsn = {}) const;
    static Texts headers(std::size_t providerClass, const std::string& key);
    static Reply post(std::uint16_t port, std::size_t providerClass, const std::string& body, const std::string& key,
                      std::chrono::milliseconds patience = std::chrono::seconds(30));
    static Reply get(std::uint16_t port, std::size_t providerClass, const std::string& target);
    // Complaints of the bookkeeper and of `tekild verify`, "" where everything holds. Of the banks' charges those count
    // whose operation is this database's.
    std::string judge(const std::vector<BankCharge>& charges) const;

private:
    TestDatabase m_database;
    std::filesystem::path m_directory;
};

Reply exchange(std::uint16_t port, std::string_view method, std::string_view target, const Texts& headers,
               std::string_view body = {}, std::chrono::milliseconds patience = std::chrono::seconds(30));

} // namespace tekil::test
