// The independent bookkeeper: reads the plain rows of a database and what a bank says it booked, does the sums by
// itself (never by tekil.verify or any other routine of the product), and names what does not agree.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tekil::test {

// One charge as a bank has it in its own books.
struct BankCharge {
    std::string operationId;
    std::string amount; // decimal text
    std::string currency;
};

// Reads tekil-bank's GET /ledger. Aborts where it is not one.
std::vector<BankCharge> readBankLedger(std::string_view json);

// Judges a database by its rows alone. Each line is one complaint; empty: the books hold.
std::vector<std::string> judgeBooks(const std::string& dsn);
// The same, and every payment against the bank's books: Completed means charged once and exactly, Failed means not
// charged, Processing and Unknown at most once, and no charge is without its payment.
std::vector<std::string> judgeBooks(const std::string& dsn, const std::vector<BankCharge>& bank);

} // namespace tekil::test
