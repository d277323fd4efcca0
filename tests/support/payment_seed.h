// Payments for ui tests, made by the same SQL routines that the engine calls; and people to sign in as.
#pragma once

#include "tests/support/cluster.h"

#include <cstdint>
#include <string>

namespace tekil::test {

class PaymentSeed {
public:
    explicit PaymentSeed(const TestDatabase& database); // provider, merchants, accounts, money, people

    // Returns the operation id. The state is "Processing", "Completed", "Failed" or "Unknown".
    std::string payment(const std::string& state, const std::string& invoice, std::int64_t amountMinor = 100'000,
                        const std::string& key = {});
    void finish(const std::string& operationId, const std::string& proof); // captured | declined | unknown
    void ringDoorbell();
    std::string problems(); // what tekil.verify finds, empty when nothing

private:
    const TestDatabase& m_database;
    int m_count = 0;
};

} // namespace tekil::test
